// The critical path of a simulated run.
#ifndef WEIR_TOOLS_SIMULATE_CRITICALPATH_H
#define WEIR_TOOLS_SIMULATE_CRITICALPATH_H

#include "tools/simulate/Replay.h"

namespace weir::simulate {

/// A part of the critical path: kernels of a rank, or transfers and additions
/// of a collective operation by several ranks.
struct PathPart {
  bool isExchange;
  uint32_t collective; ///< Of an exchange.
  uint32_t rank;       ///< At the end of the part.
  double begin, end;   ///< Seconds since the beginning of the run.
  double additions;    ///< Seconds of them in an exchange.
  uint32_t transfers;  ///< How many in an exchange.
};

/// The chain of kernels, transfers and additions that the last rank waited for,
/// from the beginning of the run to its end.
std::vector<PathPart> criticalPath(const Program &program,
                                   const Simulation &simulation);

} // namespace weir::simulate

#endif

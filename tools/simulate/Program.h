// What each rank does in a run: the schedule of a library for any number of
// ranks.
#ifndef WEIR_TOOLS_SIMULATE_PROGRAM_H
#define WEIR_TOOLS_SIMULATE_PROGRAM_H

#include "tools/simulate/Options.h"

#include <string>
#include <vector>

namespace weir::simulate {

/// A part of a run, as weir_schedule_item.
struct Item {
  enum class Kind { compute, start, progress, wait } kind;
  uint32_t collective = 0; ///< Of start and wait: of Program::collectives.
  double seconds = 0;      ///< Of compute.
};

/// A collective operation of the function.
struct Collective {
  uint32_t number, kind, axes; ///< As in weir_mesh_info.
  uint64_t elements, elementBytes;
  std::string node;
};

/// A rank's part of a transfer.
struct Move {
  uint32_t peer;
  int32_t tag;
  uint64_t bytes;
  bool isSent;
};

/// Transfers that begin together, and then an addition of so many bytes.
struct Step {
  std::vector<Move> moves;
  uint64_t addedBytes = 0;
};

struct Program {
  std::string function;
  std::vector<std::string> axes;
  std::vector<uint32_t> sizes; ///< The ranks along each axis, as simulated.
  uint32_t ranks = 1;
  double compute = 0; ///< Seconds of all items.
  std::vector<Item> items;
  std::vector<Collective> collectives;

  /// The steps of a rank in a collective operation, as the runtime has them.
  std::vector<Step> stepsOf(uint32_t collective, uint32_t rank) const;
};

/// Reads the schedule of the library. The exit status; an error is printed.
int readProgram(const Options &options, Program &program);

} // namespace weir::simulate

#endif

// The replay of a schedule by SimGrid.
#ifndef WEIR_TOOLS_SIMULATE_REPLAY_H
#define WEIR_TOOLS_SIMULATE_REPLAY_H

#include "tools/simulate/Program.h"

namespace weir::simulate {

/// A period of a rank's time. It begins where the period before it ends.
struct Period {
  enum class Kind : uint32_t { compute, wait, add } kind;
  uint32_t collective, step; ///< Of wait and add.
  double end;                ///< Seconds since the beginning of the run.
};

/// What one rank did.
struct RankLog {
  std::vector<Period> periods;
  /// For each collective operation and each step, when its transfers began.
  std::vector<std::vector<double>> posts;
  double end = 0, additions = 0;
};

/// The traffic and the waits of a collective operation.
struct CollectiveLog {
  uint64_t bytes = 0, mostOfRank = 0, messages = 0; ///< Sent.
  double begin = 0, end = 0; ///< The first start, and the end of the last wait.
  double waits = 0;          ///< Of all ranks, seconds.
  double longestWait = 0;
  uint32_t waitingRank = 0; ///< The rank of the longest wait.
};

struct Simulation {
  uint64_t hosts = 0;
  double seconds = 0; ///< From the beginning to the end of the last rank.
  std::vector<RankLog> ranks;
  std::vector<CollectiveLog> collectives; ///< Of Program::collectives.
};

/// Simulates one run. The exit status; an error is printed.
int replay(const Options &options, const Program &program, Simulation &to);

} // namespace weir::simulate

#endif

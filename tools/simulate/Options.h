// The command line of weir-simulate.
#ifndef WEIR_TOOLS_SIMULATE_OPTIONS_H
#define WEIR_TOOLS_SIMULATE_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace weir::simulate {

/// The exit statuses, which are those of weir.
enum Exit {
  success = 0,
  badInput = 1,
  badUsage = 2,
  unsupported = 3,
  internal = 70,
  failedIo = 74
};

struct Options {
  std::string library, platform;
  std::string function;     ///< Empty: train_step, or the usual one.
  std::string json;         ///< A file; `-` is stdout; empty: none.
  uint32_t ranks = 0;       ///< 0: as many as the library has.
  double compute = 0;       ///< Seconds of a run on one rank; 0: estimated.
  double additions = 40e9;  ///< Bytes that a rank adds in a second.
  bool isRateGiven = false; ///< Whether `additions` is the user's.
  std::vector<std::string> settings; ///< SimGrid's own, as `--cfg=...`.
  std::string newPlatform;   ///< The file to write instead of a simulation.
  double bandwidth = 12.5e9; ///< Of a new platform's links, bytes per second.
  double latency = 1e-6;     ///< Of a new platform's links, seconds.
};

/// Prints `weir-simulate: error: ` and the text. The status, for a return.
int fail(int status, const std::string &text);

/// Reads the arguments. True where the process goes on; otherwise `status` is
/// its exit status: the help was printed, or an argument is wrong.
bool readOptions(int argc, char **argv, Options &options, int &status);

} // namespace weir::simulate

#endif

// Writes platform files of SimGrid: fat trees with full bisection bandwidth.

#include "tools/simulate/Platform.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace weir::simulate {

/// The hosts of a switch of the first level: the largest divisor of `hosts`
/// that is at most 16 and no larger than the number of such switches.
static uint32_t hostsOfSwitch(uint32_t hosts) {
  uint32_t best = 1;
  for (uint32_t each = 2; each <= 16 && each * each <= hosts; ++each)
    if (hosts % each == 0)
      best = each;
  return best;
}

int writePlatform(const Options &options) {
  // In each switch as many links go up as go down.
  uint32_t down = hostsOfSwitch(options.ranks), up = options.ranks / down;
  std::string tree = "1;" + std::to_string(options.ranks) + ";1;1";
  if (down > 1) {
    std::string below = std::to_string(down);
    tree = "2;" + below + "," + std::to_string(up) + ";1," + below + ";1,1";
  }
  std::FILE *file = std::fopen(options.newPlatform.c_str(), "w");
  bool isWritten =
      file && std::fprintf(file, R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- %u hosts of a fat tree with full bisection bandwidth. -->
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="c" prefix="node-" suffix="" radical="0-%u" speed="1Tf"
             bw="%.10gBps" lat="%.10gs"
             topology="FAT_TREE" topo_parameters="%s"/>
  </zone>
</platform>
)",
                           options.ranks, options.ranks - 1, options.bandwidth,
                           options.latency, tree.c_str()) > 0;
  int error = errno;
  if (file && std::fclose(file)) {
    isWritten = false;
    error = errno;
  }
  if (isWritten)
    return success;
  return fail(failedIo, "cannot write '" + options.newPlatform +
                            "': " + std::strerror(error));
}

} // namespace weir::simulate

// The command line of weir-simulate.

#include "tools/simulate/Options.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weir::simulate {

static constexpr char help[] =
    R"(weir simulate: estimate the time of a step on many ranks

Usage: weir simulate LIBRARY --platform=FILE [options]
       weir simulate --make-platform=FILE --ranks=N [options]

LIBRARY was compiled with --mesh. SimGrid replays the library's schedule on the
platform of FILE: one rank on each host. weir prints the simulated time of a
step, its efficiency, the traffic and the critical path. Nothing is computed.

Options:
  --platform=FILE           The hosts and links, in SimGrid's XML
  --ranks=N                 The size of the mesh axis data changes until there
                            are N ranks. Each rank keeps its part of the batch
  --compute=SECONDS         The kernels of one rank take so long in one run.
                            Without it, the compiler's estimate for one thread
  --additions=GB/s          A rank adds received data at this rate (40)
  --function=NAME           The signature; train_step, serving_default or the
                            first
  --json=FILE               Write all numbers to FILE; - is stdout
  --cfg=NAME:VALUE          A setting of SimGrid, such as network/model:LV08.
                            May be repeated
  --help                    Print this

Platforms:
  --make-platform=FILE      Write a fat tree of --ranks hosts with full
                            bisection bandwidth to FILE
  --bandwidth=RATE          Of each link: 100Gbps, 25Gbps or 12.5GBps (100Gbps)
  --latency=TIME            Of each link: 1us, 500ns or 0.1ms (1us)

Examples:
  weir simulate --make-platform=fat256.xml --ranks=256 --bandwidth=100Gbps
  weir simulate net.so --platform=fat256.xml --ranks=256 --compute=0.080
)";

int fail(int status, const std::string &text) {
  std::fprintf(stderr, "weir-simulate: error: %s\n", text.c_str());
  return status;
}

/// A finite number above 0 with a unit behind it; 0 where there is none.
static double quantity(const std::string &text, std::string_view &unit) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  unit = end;
  return end != text.c_str() && std::isfinite(value) && value > 0 ? value : 0;
}

static bool readNumber(const std::string &text, double &to) {
  std::string_view unit;
  to = quantity(text, unit);
  return to > 0 && unit.empty();
}

static bool readBandwidth(const std::string &text, double &to) {
  std::string_view unit;
  double value = quantity(text, unit);
  double scale = unit == "Gbps"   ? 1e9 / 8
                 : unit == "Mbps" ? 1e6 / 8
                 : unit == "GBps" ? 1e9
                 : unit == "MBps" ? 1e6
                                  : 0;
  to = value * scale;
  return to > 0;
}

static bool readLatency(const std::string &text, double &to) {
  std::string_view unit;
  double value = quantity(text, unit);
  double scale = unit == "ns"   ? 1e-9
                 : unit == "us" ? 1e-6
                 : unit == "ms" ? 1e-3
                 : unit == "s"  ? 1
                                : 0;
  to = value * scale;
  return to > 0;
}

static bool readRanks(const std::string &text, uint32_t &to) {
  // As many as a mesh may have.
  constexpr long most = 65536;
  char *end = nullptr;
  long value = std::strtol(text.c_str(), &end, 10);
  bool isWhole = end != text.c_str() && !*end;
  to = isWhole && value > 0 && value <= most ? static_cast<uint32_t>(value) : 0;
  return to > 0;
}

/// 0: `argument` is an option and was read. 1: it is none. 2: its value is bad.
static int readOption(const std::string &argument, Options &options) {
  size_t equals = argument.find('=');
  if (argument.compare(0, 2, "--") || equals == std::string::npos)
    return 1;
  std::string name = argument.substr(2, equals - 2);
  std::string value = argument.substr(equals + 1);
  if (name == "ranks")
    return readRanks(value, options.ranks) ? 0 : 2;
  if (name == "compute")
    return readNumber(value, options.compute) ? 0 : 2;
  if (name == "additions") {
    bool isRead = readNumber(value, options.additions);
    options.additions *= 1e9;
    options.isRateGiven = true;
    return isRead ? 0 : 2;
  }
  if (name == "bandwidth")
    return readBandwidth(value, options.bandwidth) ? 0 : 2;
  if (name == "latency")
    return readLatency(value, options.latency) ? 0 : 2;
  if (name == "cfg") {
    options.settings.push_back(argument);
    return value.find(':') != std::string::npos ? 0 : 2;
  }
  std::string *text = name == "platform"        ? &options.platform
                      : name == "function"      ? &options.function
                      : name == "json"          ? &options.json
                      : name == "make-platform" ? &options.newPlatform
                                                : nullptr;
  if (!text)
    return 1;
  *text = value;
  return value.empty() ? 2 : 0;
}

bool readOptions(int argc, char **argv, Options &options, int &status) {
  status = badUsage;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--help" || argument == "-h" || argument == "--help-all") {
      std::fputs(help, stdout);
      status = std::fflush(stdout) ? failedIo : success;
      return false;
    }
    int read = readOption(argument, options);
    if (read == 1 && argument.compare(0, 1, "-") && options.library.empty())
      options.library = argument;
    else if (read) {
      fail(badUsage, (read == 1 ? "unexpected argument '" : "bad value in '") +
                         argument + "'; see weir simulate --help");
      return false;
    }
  }
  std::string missing;
  if (!options.newPlatform.empty()) {
    if (!options.ranks)
      missing = "--make-platform needs the number of hosts: give --ranks=N";
    else if (!options.library.empty())
      missing = "--make-platform writes a platform and reads no library";
  } else if (options.library.empty()) {
    missing = "give a library; see weir simulate --help";
  } else if (options.platform.empty()) {
    missing = "give --platform=FILE; --make-platform=FILE writes one";
  }
  if (missing.empty()) {
    status = success;
    return true;
  }
  fail(badUsage, missing);
  return false;
}

} // namespace weir::simulate

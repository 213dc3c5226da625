// weir-simulate: replays the schedule of a library of several ranks by SimGrid.
// `weir simulate` is this program.

#include "tools/simulate/Platform.h"
#include "tools/simulate/Report.h"

#include <cerrno>
#include <cstring>

using namespace weir::simulate;

/// Writes the JSON file. The exit status.
static int writeJson(const Options &options, const Program &program,
                     const Simulation &simulation) {
  std::FILE *file = std::fopen(options.json.c_str(), "w");
  bool isBad = !file;
  int error = errno;
  if (file) {
    printJson(file, options, program, simulation);
    isBad = std::ferror(file);
    isBad |= std::fclose(file) != 0;
    error = errno;
  }
  return isBad ? fail(failedIo, "cannot write '" + options.json +
                                    "': " + std::strerror(error))
               : success;
}

int main(int argc, char **argv) {
  Options options;
  int status = success;
  if (!readOptions(argc, argv, options, status))
    return status;
  if (!options.newPlatform.empty())
    return writePlatform(options);
  Program program;
  Simulation simulation;
  if (int status = readProgram(options, program))
    return status;
  if (int status = replay(options, program, simulation))
    return status;
  if (options.json == "-") {
    printJson(stdout, options, program, simulation);
  } else {
    printReport(stdout, options, program, simulation);
    if (!options.json.empty())
      status = writeJson(options, program, simulation);
  }
  if (std::fflush(stdout) || std::ferror(stdout))
    return fail(failedIo, "cannot write the output");
  return status;
}

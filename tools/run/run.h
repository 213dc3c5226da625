// What weir-run does, and the main of an executable that weir compiled.
#ifndef WEIR_TOOLS_RUN_RUN_H
#define WEIR_TOOLS_RUN_RUN_H

#include "runtime/weir.h"

#include "runtime/profile/info.h"

/// Runs the model `info`, or for null the library that the arguments name.
int weir_run_main(int argc, char **argv, const weir_model_info *info);
/// The same with the profile of the model, which is null if it has none.
int weir_run_profiled(int argc, char **argv, const weir_model_info *info,
                      const weir_profile_info *profile);
/// Writes out what was printed. The status, or 74 after a message where that
/// fails.
int flushed(int status);

#endif

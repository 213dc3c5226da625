// Outputs as files, each called after its output.
#ifndef WEIR_TOOLS_RUN_OUTPUT_H
#define WEIR_TOOLS_RUN_OUTPUT_H

#include "tools/run/execute.h"

/// Whether --output-dir can have a file for each output. Creates the folder. 0,
/// or an exit status.
int outputs_check(struct run *run);
/// Writes DIR/NAME.npy, which has its name after outputs_place; 0, or an exit
/// status.
int output_write(struct run *run, const char *name, const struct array *array);
/// Gives those written their names, or none where `status` is a failure of the
/// system's; the exit status.
int outputs_place(struct run *run, int status);

#endif

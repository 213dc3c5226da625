// Outputs as files, each called after its output.
#ifndef WEIR_TOOLS_RUN_OUTPUT_H
#define WEIR_TOOLS_RUN_OUTPUT_H

#include "tools/run/execute.h"

/// Whether --output-dir can have a file for each output; 0, or an exit status.
int outputs_check(struct run *run);
/// Writes one as NAME.npy; 0, or an exit status.
int output_write(struct run *run, const char *name, const struct array *array);

#endif

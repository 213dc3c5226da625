// Training by weir-run: a function that assigns variables, on batches of data.
#ifndef WEIR_TOOLS_RUN_TRAIN_H
#define WEIR_TOOLS_RUN_TRAIN_H

#include "tools/run/execute.h"

/// Runs the function on every whole batch of the data that the options name,
/// epoch by epoch, and reports. Inputs without data keep what was gathered. A
/// run that fails gives its status to `status`; 0, or the exit status for what
/// is wrong with the data.
int train(struct run *run, void *context, weir_status *status);

#endif

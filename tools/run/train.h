// Training by weir-run: a function that assigns variables, on batches of data.
#ifndef WEIR_TOOLS_RUN_TRAIN_H
#define WEIR_TOOLS_RUN_TRAIN_H

#include "tools/run/execute.h"

/// Runs the function on every batch of the data that the options name, epoch by
/// epoch, and reports. The last batch of an epoch is left out where it is
/// smaller, unless the inputs take any number of rows. Inputs without data keep
/// what was gathered. 0, or the exit status, when what is wrong has been said.
/// `later` gets one for what is no reason to give up what was learnt: the
/// metrics were not written.
int train(struct run *run, void *context, int *later);

#endif

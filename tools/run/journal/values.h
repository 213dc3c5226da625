// The variables and the gradients that a journal records.
#ifndef WEIR_TOOLS_RUN_JOURNAL_VALUES_H
#define WEIR_TOOLS_RUN_JOURNAL_VALUES_H

#include "tools/run/execute.h"
#include "tools/run/journal/wire.h"

#include <regex.h>

/// Some steps, and the names that a regular expression finds in them.
struct choice {
  long every; // 0: no step
  int is_filtered;
  regex_t names;
};

struct values {
  struct choice variables, gradients;
  const weir_function_info *function; // that returns gradients
  uint32_t index;
  struct array *outputs;
  void **tensors; // the inputs of the step, and the outputs
  void *kept;     // the variables before a call of the function
};

/// Prepares what the options request. 0, or the exit status after a message.
int values_open(struct values *values, struct run *run, void *context);
/// Adds the gradients before a step, by the function `gradients` on the step's
/// inputs, to a message Summary. The variables stay as they are.
weir_status values_before(struct values *values, struct run *run, void *context,
                          int64_t step, struct message *summary);
/// Adds the variables after a step.
void values_after(struct values *values, struct run *run, void *context,
                  int64_t step, struct message *summary);
void values_close(struct values *values);

#endif

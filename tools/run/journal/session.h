// What TensorBoard shows of a whole training: its parameters, and a text.
#ifndef WEIR_TOOLS_RUN_JOURNAL_SESSION_H
#define WEIR_TOOLS_RUN_JOURNAL_SESSION_H

#include "tools/run/execute.h"
#include "tools/run/journal/wire.h"

/// What only the training knows.
struct session {
  int64_t examples, batch; // of an epoch, and of a step
};

/// Whether the input is a number for all steps, such as a learning rate.
int is_number_of_all(const struct run *run, uint32_t input);
/// Adds the hyperparameters and the text to a message Summary.
void session_begin(const struct session *session, const struct run *run,
                   struct message *summary);
/// Adds the end. Training that failed or was interrupted has not succeeded.
void session_end(int has_succeeded, struct message *summary);

#endif

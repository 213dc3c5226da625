// What is written of each step of training.
#ifndef WEIR_TOOLS_RUN_JOURNAL_JOURNAL_H
#define WEIR_TOOLS_RUN_JOURNAL_JOURNAL_H

#include "tools/run/file/whole.h"
#include "tools/run/journal/curve.h"
#include "tools/run/journal/events.h"
#include "tools/run/journal/session.h"
#include "tools/run/journal/values.h"

struct journal {
  FILE *metrics;          // null where they are not asked for
  const char *curve_path; // likewise
  struct whole picture;   // open where it is no regular file
  struct events events;   // likewise its file
  struct values values;
  struct message summary; // of the step that runs now
  struct curve curve;
  double flushed; // when events last were, in us
};

/// One step, and how long it took.
struct step {
  long epoch;
  int64_t number, examples;
  double loss, us;
  int has_loss;
};

/// Opens what the options name; what is open when that fails, `journal_end`
/// closes. 0, or the exit status after a message.
int journal_begin(struct journal *journal, struct run *run, void *context,
                  const struct session *session);
/// Records the gradients before a step, where the options request them.
weir_status journal_step(struct journal *journal, struct run *run,
                         void *context, int64_t step);
/// Records a step after it has run.
void journal_add(struct journal *journal, struct run *run, void *context,
                 const struct step *step);
/// Null, or what could not be written.
const char *journal_end(struct journal *journal, int has_succeeded);

#endif

// What is written of each step of training.
#ifndef WEIR_TOOLS_RUN_JOURNAL_JOURNAL_H
#define WEIR_TOOLS_RUN_JOURNAL_JOURNAL_H

#include "tools/run/file/whole.h"
#include "tools/run/journal/curve.h"
#include "tools/run/journal/events.h"
#include "tools/run/options.h"

struct journal {
  FILE *metrics;          // null where they are not asked for
  const char *curve_path; // likewise
  struct whole picture;   // open where it is no regular file
  struct events events;   // likewise its file
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
/// closes. 0, or -1 with a sentence in `error`.
int journal_begin(struct journal *journal, const struct options *options,
                  char *error, size_t size);
void journal_add(struct journal *journal, const struct step *step);
/// Null, or what could not be written.
const char *journal_end(struct journal *journal);

#endif

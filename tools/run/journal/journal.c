// Writes steps to the files that options name: lines of JSON, events, a curve.

#include "tools/run/journal/journal.h"
#include "tools/run/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int open_file(const char *path, FILE **file, char *error, size_t size) {
  if (!path)
    return 0;
  *file = fopen(path, "w");
  if (*file)
    return 0;
  snprintf(error, size, "cannot write '%.200s'", path);
  return -1;
}

int journal_begin(struct journal *journal, const struct options *options,
                  char *error, size_t size) {
  if (open_file(options->metrics, &journal->metrics, error, size) ||
      open_file(options->curve, &journal->picture, error, size))
    return -1;
  return options->tensorboard
             ? events_open(&journal->events, options->tensorboard, error, size)
             : 0;
}

static void write_line(FILE *metrics, const struct step *step) {
  fprintf(metrics, "{\"epoch\": %ld, \"step\": %lld, ", step->epoch,
          (long long)step->number);
  // JSON has no name for what is not finite.
  if (step->has_loss && isfinite(step->loss))
    fprintf(metrics, "\"loss\": %.9g, ", step->loss);
  else
    fprintf(metrics, "\"loss\": null, ");
  fprintf(metrics, "\"examples_per_second\": %.6g}\n",
          (double)step->examples / (step->us / 1e6));
}

static void write_events(struct journal *journal, const struct step *step) {
  const char *tags[] = {"steps_per_second", "loss"};
  float values[] = {(float)(1e6 / step->us), (float)step->loss};
  events_add(&journal->events, step->number, 1 + step->has_loss, tags, values);
  // Someone may be watching.
  double now = now_us();
  if (now - journal->flushed < 1e6)
    return;
  fflush(journal->events.file);
  journal->flushed = now;
}

void journal_add(struct journal *journal, const struct step *step) {
  if (journal->metrics)
    write_line(journal->metrics, step);
  if (journal->events.file)
    write_events(journal, step);
  if (journal->picture && step->has_loss)
    curve_add(&journal->curve, step->loss);
}

static int end_file(FILE *file) {
  int bad = ferror(file);
  bad |= fclose(file) != 0;
  return bad;
}

const char *journal_end(struct journal *journal) {
  const char *wrong = NULL;
  if (journal->metrics && end_file(journal->metrics))
    wrong = "cannot write the metrics";
  if (journal->picture) {
    curve_draw(&journal->curve, "loss", journal->picture);
    if (end_file(journal->picture))
      wrong = "cannot write the curve";
  }
  if (journal->events.file && events_close(&journal->events))
    wrong = "cannot write the events";
  return wrong;
}

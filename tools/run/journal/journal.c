// Writes steps to the files that options name: lines of JSON, events, a curve.

#include "tools/run/journal/journal.h"
#include "tools/run/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int unopened(const char *path, char *error, size_t size) {
  snprintf(error, size, "cannot write '%.200s': %s", path, strerror(errno));
  return -1;
}

int journal_begin(struct journal *journal, const struct options *options,
                  char *error, size_t size) {
  if (options->metrics && !(journal->metrics = fopen(options->metrics, "w")))
    return unopened(options->metrics, error, size);
  // A curve that could not be written in the end is not begun. Until then no
  // file of it lies about.
  if (options->curve && whole_begin(&journal->picture, options->curve))
    return unopened(options->curve, error, size);
  if (journal->picture.temporary[0])
    whole_drop(&journal->picture);
  journal->curve_path = options->curve;
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
  if (journal->curve_path && step->has_loss)
    curve_add(&journal->curve, step->loss);
}

static int end_file(FILE *file) {
  int bad = ferror(file);
  bad |= fclose(file) != 0;
  return bad;
}

static int draw(struct journal *journal) {
  struct whole *to = &journal->picture;
  if (!to->file && whole_begin(to, journal->curve_path))
    return -1;
  curve_draw(&journal->curve, "loss", to->file);
  return whole_end(to) || whole_place(to, 1);
}

const char *journal_end(struct journal *journal) {
  const char *wrong = NULL;
  if (journal->metrics && end_file(journal->metrics))
    wrong = "cannot write the metrics";
  if (journal->curve_path && draw(journal))
    wrong = "cannot write the curve";
  if (journal->events.file && events_close(&journal->events))
    wrong = "cannot write the events";
  return wrong;
}

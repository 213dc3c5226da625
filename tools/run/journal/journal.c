// Writes steps to the files that options name: lines of JSON, events, a curve.

#include "tools/run/journal/journal.h"

#include "tools/run/journal/summary.h"
#include "tools/run/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int unopened(struct run *run, const char *path) {
  snprintf(run->error, sizeof run->error, "cannot write '%.200s': %s", path,
           strerror(errno));
  return fail(run->error, IO);
}

static int begin_events(struct journal *journal, struct run *run, void *context,
                        const struct session *session) {
  struct message summary = {0};
  int status = values_open(&journal->values, run, context);
  if (status)
    return status;
  if (events_open(&journal->events, run->options.tensorboard, run->error,
                  sizeof run->error))
    return fail(run->error, IO);
  session_begin(session, run, &summary);
  events_add(&journal->events, 0, &summary);
  fflush(journal->events.file);
  return 0;
}

int journal_begin(struct journal *journal, struct run *run, void *context,
                  const struct session *session) {
  const struct options *options = &run->options;
  if (options->metrics && !(journal->metrics = fopen(options->metrics, "w")))
    return unopened(run, options->metrics);
  // A curve that could not be written in the end is not begun. Until then no
  // file of it lies about.
  if (options->curve && whole_begin(&journal->picture, options->curve))
    return unopened(run, options->curve);
  if (journal->picture.temporary[0])
    whole_drop(&journal->picture);
  journal->curve_path = options->curve;
  return options->tensorboard ? begin_events(journal, run, context, session)
                              : 0;
}

weir_status journal_step(struct journal *journal, struct run *run,
                         void *context, int64_t step) {
  return values_before(&journal->values, run, context, step, &journal->summary);
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

/// Adds the other outputs of one element, and inputs such as a learning rate.
static void add_numbers(struct message *summary, const struct run *run,
                        int has_loss) {
  const weir_function_info *f = run->function;
  for (uint32_t i = has_loss ? 1 : 0; i < f->num_outputs; ++i) {
    const struct array *output = &run->arrays[f->num_inputs + i];
    if (output->elements == 1 &&
        !(has_loss && !strcmp(f->outputs[i].name, "loss")))
      summary_number(summary, f->outputs[i].name, array_get(output, 0));
  }
  for (uint32_t i = 0; i < f->num_inputs; ++i)
    if (is_number_of_all(run, i))
      summary_number(summary, f->inputs[i].name, array_get(&run->arrays[i], 0));
}

static void write_events(struct journal *journal, struct run *run,
                         void *context, const struct step *step) {
  struct message *summary = &journal->summary;
  if (step->has_loss)
    summary_number(summary, "loss", step->loss);
  summary_number(summary, "steps_per_second", 1e6 / step->us);
  summary_number(summary, "examples_per_second",
                 (double)step->examples * 1e6 / step->us);
  add_numbers(summary, run, step->has_loss);
  values_after(&journal->values, run, context, step->number, summary);
  events_add(&journal->events, step->number, summary);
  // Someone may be watching.
  double now = now_us();
  if (now - journal->flushed < 1e6)
    return;
  fflush(journal->events.file);
  journal->flushed = now;
}

void journal_add(struct journal *journal, struct run *run, void *context,
                 const struct step *step) {
  if (journal->metrics)
    write_line(journal->metrics, step);
  if (journal->events.file)
    write_events(journal, run, context, step);
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

static int end_events(struct journal *journal, int has_succeeded) {
  struct message summary = {0};
  session_end(has_succeeded, &summary);
  events_add(&journal->events, 0, &summary);
  return events_close(&journal->events);
}

const char *journal_end(struct journal *journal, int has_succeeded) {
  const char *wrong = NULL;
  if (journal->metrics && end_file(journal->metrics))
    wrong = "cannot write the metrics";
  if (journal->curve_path && draw(journal))
    wrong = "cannot write the curve";
  if (journal->events.file && end_events(journal, has_succeeded))
    wrong = "cannot write the events";
  values_close(&journal->values);
  wire_free(&journal->summary);
  return wrong;
}

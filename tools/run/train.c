// Feeds a model's step with batches of files, and says how the loss goes.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/train.h"
#include "tools/run/interrupt.h"
#include "tools/run/journal/journal.h"
#include "tools/run/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One file, and the input whose batches are rows of it.
struct source {
  struct array file;
  uint32_t input;
};

struct training {
  struct run *run;
  struct source *sources;
  int64_t examples, batch, steps; // in all, of a full step, of one epoch
  int is_open;                    // a step takes any number up to `batch`
  int64_t *order;                 // of the examples
  uint64_t random;
  const struct array *loss; // null if the function returns no number
  struct journal journal;
  double begun, drawn; // when training began, and the bar was last drawn, in us
  int64_t done, seen;  // steps, and their examples
  int width;           // of the bar that is on the screen, or 0
  int64_t saved;       // the step of the last checkpoint, or 0
};

/// How many examples a step takes: the last one those that are left.
static int64_t rows_of(const struct training *t, int64_t step) {
  int64_t left = t->examples - step * t->batch;
  return left < t->batch ? left : t->batch;
}

/// Each order is as likely as any other, but for less than one in 2^32.
static void shuffle(struct training *t) {
  for (int64_t i = t->examples - 1; i > 0; --i) {
    int64_t k = (int64_t)(random_next(&t->random) % (uint64_t)(i + 1));
    int64_t keep = t->order[i];
    t->order[i] = t->order[k];
    t->order[k] = keep;
  }
}

/// Whether something other than data gives the input its value, or one of the
/// first `count` files does.
static int is_taken(struct training *t, uint32_t i, int count) {
  const struct run *run = t->run;
  const weir_function_info *f = run->function;
  int taken = whose_shape(f->inputs, f->num_inputs, i) >= 0 ||
              given(run->options.inputs, run->options.num_inputs,
                    &f->inputs[i]) != NULL;
  for (int k = 0; k < count; ++k)
    taken |= t->sources[k].input == i;
  return taken;
}

/// The input that a file is for: by the name before `=`, where an input is
/// called that, or else the first that has no value.
static int64_t find_input(struct training *t, const char **text, int count) {
  struct run *run = t->run;
  const weir_function_info *f = run->function;
  const char *equals = strchr(*text, '=');
  int named = 0;
  for (uint32_t i = 0; equals && i < f->num_inputs; ++i)
    named |= given(text, 1, &f->inputs[i]) != NULL;
  // A path may have one, too.
  if (equals && !named && access(*text, F_OK)) {
    snprintf(run->error, sizeof run->error,
             "--data: no input is called '%.*s', nor is '%.200s' a file",
             equals - *text > 200 ? 200 : (int)(equals - *text), *text, *text);
    fail(run->error, FAULT);
    return -1;
  }
  for (uint32_t i = 0; i < f->num_inputs; ++i) {
    if (is_taken(t, i, count) || (named && !given(text, 1, &f->inputs[i])))
      continue;
    *text = named ? equals + 1 : *text;
    return i;
  }
  snprintf(run->error, sizeof run->error,
           "--data: no input is left for '%.200s'", *text);
  fail(run->error, FAULT);
  return -1;
}

static int is_whole(weir_dtype dtype) {
  return dtype != WEIR_F16 && dtype != WEIR_BF16 && dtype != WEIR_F32 &&
         dtype != WEIR_F64;
}

/// Sets the batch size to that of the inputs, which must agree in how many
/// rows they take and whether they take fewer.
static int check_batch(struct training *t, const char *path,
                       const struct source *source) {
  struct run *run = t->run;
  int64_t rows = source->file.shape[0],
          most = run->arrays[source->input].shape[0];
  int is_open = run->function->inputs[source->input].shape_tensor >= 0;
  if (!t->batch) {
    t->batch = most;
    t->examples = rows;
    t->is_open = is_open;
  }
  // Inputs with ranges of their own have the least one in common.
  if (t->is_open && is_open)
    t->batch = most < t->batch ? most : t->batch;
  else if (t->is_open != is_open || t->batch != most)
    most = -1;
  if (most >= 0 && t->examples == rows)
    return 0;
  most = run->arrays[source->input].shape[0];
  snprintf(run->error, sizeof run->error,
           "'%.200s': has %lld rows, and its input takes %s%lld at a time; "
           "others have %lld and take %s%lld",
           path, (long long)rows, is_open ? "up to " : "", (long long)most,
           (long long)t->examples, t->is_open ? "up to " : "",
           (long long)t->batch);
  return fail(run->error, FAULT);
}

/// Whether rows of the file are rows of the input: of its shape, or no larger
/// where the run knows it, and of its type or one of integers, which become
/// that.
static int check_source(struct training *t, const char *path,
                        const struct source *source) {
  struct run *run = t->run;
  const struct array *file = &source->file,
                     *batch = &run->arrays[source->input];
  int fits = batch->rank > 0 && file->rank == batch->rank &&
             (file->dtype == batch->dtype || is_whole(file->dtype));
  int is_open = run->function->inputs[source->input].shape_tensor >= 0;
  for (int k = 1; fits && k < batch->rank; ++k)
    fits = is_open ? file->shape[k] <= batch->shape[k]
                   : file->shape[k] == batch->shape[k];
  if (!fits) {
    char rows[1600], got[1600];
    struct array row = *batch;
    row.rank -= row.rank > 0;
    memmove(row.shape, row.shape + 1, (size_t)row.rank * sizeof *row.shape);
    array_type_text(&row, rows, sizeof rows);
    array_type_text(file, got, sizeof got);
    snprintf(run->error, sizeof run->error,
             "'%.200s': expected rows of %.300s, got %.300s", path, rows, got);
    return fail(run->error, FAULT);
  }
  return check_batch(t, path, source);
}

static int open_data(struct training *t) {
  struct run *run = t->run;
  const struct options *o = &run->options;
  for (int i = 0; i < o->num_data; ++i) {
    const char *path = o->data[i];
    int64_t input = find_input(t, &path, i);
    if (input < 0)
      return FAULT;
    t->sources[i].input = (uint32_t)input;
    int status =
        npy_map(path, &t->sources[i].file, run->error, sizeof run->error);
    if (status)
      return fail(run->error, status);
    status = check_source(t, path, &t->sources[i]);
    if (status)
      return status;
  }
  for (uint32_t i = 0; i < run->function->num_inputs; ++i)
    if (!is_taken(t, i, o->num_data)) {
      const char *name = run->function->inputs[i].tensor;
      snprintf(run->error, sizeof run->error,
               "input '%.200s' has no data: give --data=%.200s=FILE or "
               "--input=%.200s=...",
               name, name, name);
      return fail(run->error, FAULT);
    }
  return 0;
}

static int check_sizes(struct training *t) {
  struct run *run = t->run;
  int64_t wanted = run->options.batch;
  if (t->is_open && wanted && wanted <= t->batch)
    t->batch = wanted;
  if (wanted && wanted != t->batch)
    snprintf(run->error, sizeof run->error,
             "--batch=%ld: the model was compiled for batches of %s%lld; "
             "weir compile --shape, --dim or --feed says another size",
             run->options.batch, t->is_open ? "up to " : "",
             (long long)t->batch);
  else if (!t->batch || t->examples < (t->is_open ? 1 : t->batch))
    snprintf(run->error, sizeof run->error,
             "the data has %lld rows, less than a batch of %lld",
             (long long)t->examples, (long long)t->batch);
  else
    return 0;
  return fail(run->error, FAULT);
}

/// Copies the rows of one step to the inputs.
static void fill(struct training *t, int64_t step) {
  const int64_t *rows = t->order + step * t->batch, count = rows_of(t, step);
  for (int i = 0; i < t->run->options.num_data; ++i) {
    const struct array *file = &t->sources[i].file;
    uint32_t input = t->sources[i].input;
    struct array *batch = &t->run->arrays[input];
    int64_t sizes = t->run->function->inputs[input].shape_tensor;
    int64_t row = file->elements / file->shape[0];
    size_t bytes = (size_t)row * dtype_bytes(batch->dtype);
    for (int k = 0; sizes >= 0 && k < file->rank; ++k)
      array_set(&t->run->arrays[sizes], k,
                (double)(k ? file->shape[k] : count));
    for (int64_t k = 0; k < count; ++k) {
      if (file->dtype == batch->dtype && file->dtype != WEIR_BOOL)
        memcpy((char *)batch->data + (size_t)k * bytes,
               (const char *)file->data + (size_t)rows[k] * bytes, bytes);
      else
        for (int64_t e = 0; e < row; ++e)
          array_set(batch, k * row + e, array_get(file, rows[k] * row + e));
    }
  }
}

/// A line that is drawn over, for people who watch; logs do not get it.
static void draw(struct training *t, long epoch, double loss) {
  double now = now_us();
  int64_t all = t->steps * t->run->options.epochs;
  if (!isatty(2) || (now - t->drawn < 1e5 && t->done < all))
    return;
  t->drawn = now;
  double seconds = (now - t->begun) / 1e6;
  double left = seconds / (double)t->done * (double)(all - t->done);
  char bar[31] = "                              ";
  memset(bar, '=', (size_t)(t->done * 30 / all));
  t->width = fprintf(
      stderr,
      "\repoch %ld/%ld [%s] loss %.5g  %.0f examples/s  %lld:%02d left ", epoch,
      t->run->options.epochs, bar, loss, (double)t->seen / seconds,
      (long long)left / 60, (int)((long long)left % 60));
  if (t->done == all)
    fputc('\n', stderr), t->width = 0;
}

/// Before anything else is written on the bar's line.
static void erase(struct training *t) {
  if (t->width)
    fprintf(stderr, "\r%*s\r", t->width, "");
  t->width = 0;
}

/// Where the model failed: the rows as far as there is room.
static int step_failed(struct training *t, void *context, long epoch,
                       int64_t step, weir_status status) {
  struct run *run = t->run;
  erase(t);
  const int64_t *rows = t->order + step * t->batch, count = rows_of(t, step);
  enum { shown = 8 };
  char list[shown * 21 + 4] = "";
  size_t at = 0;
  for (int64_t k = 0; k < count && k < shown; ++k)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%lld", k ? "," : "",
                           (long long)rows[k]);
  snprintf(run->error, sizeof run->error, "epoch %ld, step %lld%s%s%s: %.600s",
           epoch, (long long)t->done + 1, count ? ", rows " : "", list,
           count > shown ? ",..." : "", run->info->last_error(context));
  if (t->saved)
    fprintf(stderr, "%s: note: %s has the variables of step %lld\n",
            program_name, run->options.save, (long long)t->saved);
  return fail(run->error, exit_status(status));
}

/// A checkpoint in the midst of training. Where it cannot be written training
/// goes on: the one before it is whole, and the last one may go well.
static void save_now(struct training *t, void *context) {
  struct run *run = t->run;
  long every = run->options.save_every;
  if (!every || t->done % every)
    return;
  if (!run->info->save(context, run->options.save)) {
    t->saved = t->done;
    return;
  }
  erase(t);
  const char *text = run->info->last_error(context);
  if (*text) // or another process tells it
    fprintf(stderr, "%s: warning: step %lld: %s\n", program_name,
            (long long)t->done, text);
}

static void tell_interrupted(struct training *t) {
  erase(t);
  fprintf(stderr, "%s: note: ended by a signal after step %lld of %lld%s\n",
          program_name, (long long)t->done,
          (long long)(t->steps * t->run->options.epochs),
          t->run->options.save ? "" : "; --save=PATH keeps the variables");
}

static int run_epoch(struct training *t, void *context, long epoch) {
  struct run *run = t->run;
  uint32_t count = run->function->num_inputs + run->function->num_outputs;
  double begin = now_us(), sum = 0;
  int64_t before = t->done, examples = t->seen;
  for (int64_t step = 0; step < t->steps && !interrupt_seen(); ++step) {
    double from = now_us();
    fill(t, step);
    double filled = now_us();
    weir_status status = journal_step(&t->journal, run, context, t->done + 1);
    from += now_us() - filled;
    if (!status)
      status = run->info->run(context, run->index, run->tensors, count);
    if (status)
      return step_failed(t, context, epoch, step, status);
    int64_t rows = rows_of(t, step);
    ++t->done;
    t->seen += rows;
    double loss = t->loss ? array_get(t->loss, 0) : 0;
    sum += loss * (double)rows;
    struct step done = {epoch, t->done,         rows,
                        loss,  now_us() - from, t->loss != NULL};
    journal_add(&t->journal, run, context, &done);
    draw(t, epoch, loss);
    save_now(t, context);
  }
  int64_t steps = t->done - before, trained = t->seen - examples;
  if (!steps)
    return 0;
  erase(t);
  double seconds = (now_us() - begin) / 1e6;
  printf("epoch %ld: ", epoch);
  if (t->loss)
    printf("loss %.6g, ", sum / (double)trained);
  printf("%lld steps of %lld, ", (long long)steps, (long long)t->batch);
  int64_t last = rows_of(t, steps - 1);
  if (last < t->batch)
    printf("the last of %lld, ", (long long)last);
  printf("%.0f examples/s\n", (double)trained / seconds);
  fflush(stdout);
  return 0;
}

static int prepare(struct training *t, void *context) {
  struct run *run = t->run;
  t->sources = calloc((size_t)run->options.num_data + 1, sizeof *t->sources);
  if (!t->sources)
    return fail("out of memory", LIMIT);
  int status = open_data(t);
  if (!status && !run->follows)
    status = check_sizes(t);
  if (status)
    return status;
  if (!run->follows)
    t->steps = (t->examples + (t->is_open ? t->batch - 1 : 0)) / t->batch;
  if (weir_run_ranks && (status = weir_run_ranks->steps(run, &t->steps)))
    return status;
  t->order = malloc((size_t)t->examples * sizeof *t->order);
  if (!t->order)
    return fail("not enough memory for the order of the data", LIMIT);
  for (int64_t i = 0; i < t->examples; ++i)
    t->order[i] = i;
  const struct array *first = &run->arrays[run->function->num_inputs];
  if (run->function->num_outputs && first->elements == 1)
    t->loss = first;
  if (run->options.curve && !t->loss)
    return fail("--curve: the function returns no loss to draw", FAULT);
  struct session session = {t->examples, t->batch};
  return journal_begin(&t->journal, run, context, &session);
}

int train(struct run *run, void *context, int *later) {
  struct training t = {.run = run, .random = run->options.shuffle_seed};
  if (!run->options.epochs)
    run->options.epochs = 1;
  int code = prepare(&t, context);
  t.begun = now_us();
  interrupt_watch();
  for (long epoch = 1;
       !code && !interrupt_seen() && epoch <= run->options.epochs; ++epoch) {
    if (run->options.shuffle)
      shuffle(&t);
    code = run_epoch(&t, context, epoch);
  }
  if (interrupt_seen())
    tell_interrupted(&t);
  const char *unwritten = journal_end(&t.journal, !code && !interrupt_seen());
  if (unwritten)
    *later = fail(unwritten, IO);
  for (int i = 0; t.sources && i < run->options.num_data; ++i)
    array_unmap(&t.sources[i].file);
  free(t.sources);
  free(t.order);
  return code;
}

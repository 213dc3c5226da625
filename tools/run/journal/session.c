// Writes hyperparameters as HParamsPluginData of TensorBoard's plugin hparams,
// and the command and the library as text.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/journal/session.h"

#include "tools/run/journal/summary.h"
#include "tools/run/library.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  // Of HParamsPluginData. TensorBoard derives an Experiment from all its
  // sessions unless a file has one, which would limit it to that file's
  // parameters.
  START = 3,
  END = 4,
  // Of SessionStartInfo, and of an entry of its map.
  VALUES = 1,
  START_TIME = 5,
  KEY = 1,
  VALUE = 2,
  // Of google.protobuf.Value.
  NUMBER = 2,
  STRING = 3,
  BOOLEAN = 4,
  // Of SessionEndInfo.
  STATUS = 1,
  END_TIME = 2,
  SUCCEEDED = 1,
  FAILED = 2
};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// Adds a parameter with its value, which it frees.
static void add(struct message *start, const char *name,
                struct message *value) {
  struct message entry = {0};
  wire_text(&entry, KEY, name);
  wire_message(&entry, VALUE, value);
  wire_message(start, VALUES, &entry);
}

/// The value of `--hparam=NAME=VALUE`, or null. The last one wins.
static const char *chosen(const struct options *options, const char *name,
                          size_t length) {
  const char *found = NULL;
  for (int i = 0; i < options->num_hparams; ++i) {
    const char *each = options->hparams[i];
    if (!strncmp(each, name, length) && each[length] == '=')
      found = each + length + 1;
  }
  return found;
}

/// Adds a number that the options do not replace.
static void add_number(struct message *start, const struct options *options,
                       const char *name, double number) {
  struct message value = {0};
  if (chosen(options, name, strlen(name)))
    return;
  wire_double(&value, NUMBER, number);
  add(start, name, &value);
}

/// Adds a number or a Boolean where the text is one.
static void add_parsed(struct message *start, const char *name,
                       const char *text) {
  struct message value = {0};
  char *end;
  double number = strtod(text, &end);
  int is_true = !strcmp(text, "true");
  if (*text && !*end)
    wire_double(&value, NUMBER, number);
  else if (is_true || !strcmp(text, "false"))
    wire_integer(&value, BOOLEAN, (uint64_t)is_true);
  else
    wire_text(&value, STRING, text);
  add(start, name, &value);
}

int is_number_of_all(const struct run *run, uint32_t input) {
  const weir_tensor_info *info = &run->function->inputs[input];
  return !info->rank && whose_shape(run->function->inputs,
                                    run->function->num_inputs, input) < 0;
}

/// Adds the parameters of the command line.
static void add_chosen(struct message *start, const struct options *o) {
  for (int i = 0; i < o->num_hparams; ++i) {
    const char *text = strchr(o->hparams[i], '=') + 1;
    size_t length = (size_t)(text - 1 - o->hparams[i]);
    char name[256];
    if (chosen(o, o->hparams[i], length) != text)
      continue;
    snprintf(name, sizeof name, "%.*s", (int)length, o->hparams[i]);
    add_parsed(start, name, text);
  }
}

static void add_plugin(struct message *summary, const char *tag, unsigned field,
                       struct message *part) {
  struct message data = {0};
  wire_message(&data, field, part);
  summary_plugin(summary, tag, "hparams", &data);
}

static void add_parameters(const struct session *session, const struct run *run,
                           struct message *summary) {
  const struct options *o = &run->options;
  struct message start = {0};
  add_number(&start, o, "batch", (double)session->batch);
  add_number(&start, o, "epochs", (double)o->epochs);
  add_number(&start, o, "examples", (double)session->examples);
  add_number(&start, o, "threads", run->timing.threads);
  if (o->shuffle)
    add_number(&start, o, "shuffle", (double)o->shuffle_seed);
  for (uint32_t i = 0; i < run->function->num_inputs; ++i)
    if (is_number_of_all(run, i))
      add_number(&start, o, run->function->inputs[i].name,
                 array_get(&run->arrays[i], 0));
  add_chosen(&start, o);
  wire_double(&start, START_TIME, seconds_now());
  add_plugin(summary, "_hparams_/session_start_info", START, &start);
}

/// Writes a line of a block of code, which Markdown shows as it is.
static void write_line(FILE *to, const char *name, const char *value) {
  fprintf(to, "    %-9s ", name);
  for (; value && *value; ++value)
    putc((unsigned char)*value < 0x20 ? ' ' : *value, to);
  putc('\n', to);
}

/// Writes the arguments, in quotes where a shell needs them.
static void write_command(FILE *to, const struct options *options) {
  fprintf(to, "    %-9s %s", "command", program_name);
  for (int i = 1; i < options->argc; ++i) {
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-_=./,:@+%";
    const char *argument = options->argv[i];
    int is_plain = *argument && !argument[strspn(argument, plain)];
    fputs(is_plain ? " " : " '", to);
    for (; *argument; ++argument)
      if (*argument == '\'')
        fputs("'\\''", to);
      else
        putc((unsigned char)*argument < 0x20 ? ' ' : *argument, to);
    fputs(is_plain ? "" : "'", to);
  }
  putc('\n', to);
}

static void add_text(const struct run *run, struct message *summary) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (to) {
    write_command(to, &run->options);
    write_line(to, "function", run->function->name);
    write_line(to, "model", run->info->source);
    write_line(to, "compiler", run->info->compiler);
    write_line(to, "target", run->info->target);
  }
  if (!to || fclose(to))
    summary->is_short = 1;
  else
    summary_text(summary, "training", text);
  free(text);
}

void session_begin(const struct session *session, const struct run *run,
                   struct message *summary) {
  add_parameters(session, run, summary);
  add_text(run, summary);
}

void session_end(int has_succeeded, struct message *summary) {
  struct message end = {0};
  wire_integer(&end, STATUS, has_succeeded ? SUCCEEDED : FAILED);
  wire_double(&end, END_TIME, seconds_now());
  add_plugin(summary, "_hparams_/session_end_info", END, &end);
}

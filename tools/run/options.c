// The command line of weir-run.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/options.h"
#include "tools/run/run.h"
#include "tools/run/status.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *program_name = "weir-run";

static const char help[] =
    "  --function=NAME           the signature; serving_default or the first\n"
    "  --input=NAME=@FILE.npy    an input from a file\n"
    "  --input=NAME=2x3xf32=1,2,3,4,5,6   or from here; one value fills all\n"
    "  --input=NAME=1,2,3        likewise, of the input's own shape and type\n"
    "  --random=SEED             the other inputs are random\n"
    "  --output-dir=DIR          writes each output as DIR/NAME.npy, with _ "
    "for "
    "/\n"
    "                            and :; creates DIR\n"
    "  --expect=NAME=@FILE.npy, --expect=NAME=2xf32=1,2   compares an output\n"
    "  --rtol=R --atol=A         how closely (1e-5, 1e-8)\n"
    "  --repeat=N --warmup=N     runs N times and says how long that took\n"
    "  --threads=N               how many share the work of a run\n"
    "  --comm=threads --ranks=N   runs a library of weir compile --mesh; its "
    "ranks\n"
    "                            are threads. Inputs and outputs are those of\n"
    "                            all ranks together\n"
    "  --comm=mpi                the same under mpirun: each process is a "
    "rank\n"
    "  --timeout=MS              the longest wait for another rank (60000)\n"
    "  --train --data=X.npy,Y.npy    runs train_step on batches of rows\n"
    "  --batch=N --epochs=N --shuffle=SEED --metrics=FILE.jsonl   of training\n"
    "  --curve=FILE.svg          draws the losses\n"
    "  --tensorboard=DIR         events of training for TensorBoard\n"
    "  --histograms=N[:REGEX]    each N-th step, events have the variables\n"
    "                            whose names match\n"
    "  --gradients=N[:REGEX]     each N-th step, events have the gradients, "
    "of\n"
    "                            a library of weir compile --grad\n"
    "  --hparam=NAME=VALUE       a hyperparameter for TensorBoard\n"
    "  --weights=FILE            the weights, instead of the file beside the\n"
    "                            library\n"
    "  --restore=PATH --save=PATH    checkpoints before and after the runs\n"
    "  --restore=latest          the checkpoint of --save, if there is one\n"
    "  --save-every=N            checkpoints after each N-th step of training, "
    "too\n"
    "  --profile[=FILE.json]     the time of each kernel and each node, of a\n"
    "                            library of weir compile --profile\n"
    "  --trace=FILE.json --trace-events=N   the last N events of each thread, "
    "for\n"
    "                            Perfetto (16384)\n"
    "  --level=NAME              the code for this kind of processor\n"
    "  --json                    prints the report as JSON\n";

static void print_help(FILE *to, int library) {
  fprintf(to, "usage: %.200s%s [options]\n%s", program_name,
          library ? " LIB.so" : "", help);
  if (library)
    fputs("weir-run --version          prints the version\n", to);
}

void begin_error(void) {
  const char *plain = getenv("NO_COLOR"), *term = getenv("TERM");
  int colored = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") &&
                !(plain && *plain);
  fprintf(stderr,
          colored ? "\033[1m%.200s: \033[1;31merror: \033[0m"
                  : "%.200s: error: ",
          program_name);
}

static int no_memory(void) {
  begin_error();
  fputs("out of memory\n", stderr);
  return LIMIT;
}

static int usage(const char *what, const char *argument) {
  begin_error();
  fprintf(stderr, "%s '%.200s'; see %.200s --help\n", what, argument,
          program_name);
  return 2;
}

/// The text behind `name=` if that is what the argument begins with.
static const char *value_of(const char *argument, const char *name) {
  size_t length = strlen(name);
  return !strncmp(argument, name, length) && argument[length] == '='
             ? argument + length + 1
             : NULL;
}

static int whole(const char *text, long least, long *to) {
  char *end;
  errno = 0;
  *to = strtol(text, &end, 10);
  return errno || end == text || *end || *to < least;
}

static int real(const char *text, double *to) {
  char *end;
  *to = strtod(text, &end);
  return end == text || *end || !(*to >= 0);
}

/// Copies the parts of a list with commas. The exit status.
static int split(const char *text, struct options *o) {
  int bad = 0;
  for (const char *part = text, *next; part; part = next) {
    size_t length = strcspn(part, ",");
    next = part[length] ? part + length + 1 : NULL;
    bad |= !length;
    char **more = realloc(o->data, ((size_t)o->num_data + 1) * sizeof *o->data);
    if (!more)
      return no_memory();
    o->data = more;
    if (!(o->data[o->num_data] = strndup(part, length)))
      return no_memory();
    ++o->num_data;
  }
  return bad ? USAGE : 0;
}

/// Reads `N` or `N:REGEX`. The exit status.
static int steps(const char *text, long *every, const char **names) {
  char *end;
  errno = 0;
  *every = strtol(text, &end, 10);
  *names = *end == ':' ? end + 1 : NULL;
  if (errno || end == text || *every < 1 || (*end && *end != ':'))
    return USAGE;
  regex_t expression;
  if (!*names)
    return 0;
  int status = regcomp(&expression, *names, REG_EXTENDED | REG_NOSUB);
  if (status == REG_ESPACE)
    return no_memory();
  if (!status)
    regfree(&expression);
  return status ? USAGE : 0;
}

/// A name, at most as long as a shell's user wants to read, and a value.
static int add_hparam(const char *text, struct options *o) {
  size_t length = strcspn(text, "=");
  if (!length || length > 200 || !text[length])
    return USAGE;
  o->hparams[o->num_hparams++] = text;
  return 0;
}

/// The options of profiles, likewise.
static int one_of_profiles(const char *argument, struct options *o) {
  const char *v;
  int bad = 0;
  if (!strcmp(argument, "--profile"))
    o->profile = 1;
  else if ((v = value_of(argument, "--profile")))
    bad = !*v, o->profile = 1, o->profile_file = v;
  else if ((v = value_of(argument, "--trace")))
    bad = !*v, o->trace = v;
  else if ((v = value_of(argument, "--trace-events")))
    bad = whole(v, 1, &o->trace_events) || o->trace_events > 100000000;
  else
    return -1;
  return bad ? USAGE : 0;
}

/// The options of training, likewise.
static int one_of_training(const char *argument, struct options *o) {
  const char *v;
  long number = 0;
  int bad = 0;
  if (!strcmp(argument, "--train"))
    o->train = 1;
  else if ((v = value_of(argument, "--data")))
    return split(v, o);
  else if ((v = value_of(argument, "--batch")))
    bad = whole(v, 1, &o->batch);
  else if ((v = value_of(argument, "--epochs")))
    bad = whole(v, 1, &o->epochs) || o->epochs > 1000000;
  else if ((v = value_of(argument, "--save-every")))
    bad = whole(v, 1, &o->save_every);
  else if ((v = value_of(argument, "--shuffle")))
    bad = whole(v, 0, &number), o->shuffle = 1,
    o->shuffle_seed = (uint64_t)number;
  else if ((v = value_of(argument, "--metrics")))
    o->metrics = v;
  else if ((v = value_of(argument, "--tensorboard")))
    bad = !*v, o->tensorboard = v;
  else if ((v = value_of(argument, "--histograms")))
    return steps(v, &o->histograms, &o->histogram_names);
  else if ((v = value_of(argument, "--gradients")))
    return steps(v, &o->gradients, &o->gradient_names);
  else if ((v = value_of(argument, "--hparam")))
    return add_hparam(v, o);
  else if ((v = value_of(argument, "--curve")))
    o->curve = v;
  else
    return -1;
  return bad ? 2 : 0;
}

/// The options of ranks, likewise.
static int one_of_ranks(const char *argument, struct options *o) {
  const char *v;
  int bad = 0;
  if ((v = value_of(argument, "--comm")))
    bad = strcmp(v, "threads") && strcmp(v, "mpi"), o->comm = v;
  else if ((v = value_of(argument, "--ranks")))
    bad = whole(v, 1, &o->ranks) || o->ranks > 65536;
  else if ((v = value_of(argument, "--timeout")))
    bad = whole(v, 1, &o->timeout_ms) || o->timeout_ms > 2147483647;
  else
    return -1;
  return bad ? USAGE : 0;
}

/// One option; 0, -1 if it is none of ours, or 2 for a bad value.
static int one(const char *argument, struct options *o) {
  const char *v;
  long number = 0;
  int bad = 0;
  if (!strcmp(argument, "--json"))
    o->json = 1;
  else if ((v = value_of(argument, "--function")))
    o->function = v;
  else if ((v = value_of(argument, "--output-dir")))
    o->output_dir = v;
  else if ((v = value_of(argument, "--input")))
    bad = !strchr(v, '='), o->inputs[o->num_inputs++] = v;
  else if ((v = value_of(argument, "--expect")))
    bad = !strchr(v, '='), o->expects[o->num_expects++] = v;
  else if ((v = value_of(argument, "--random")))
    bad = whole(v, 0, &number), o->random = 1, o->seed = (uint64_t)number;
  else if ((v = value_of(argument, "--repeat")))
    bad = whole(v, 1, &o->repeat) || o->repeat > 100000000;
  else if ((v = value_of(argument, "--warmup")))
    bad = whole(v, 0, &o->warmup);
  else if ((v = value_of(argument, "--threads")))
    bad = whole(v, 1, &number) || number > 256, o->threads = (int)number;
  else if ((v = value_of(argument, "--level")))
    o->level = v;
  else if ((v = value_of(argument, "--weights")))
    o->weights = v;
  else if ((v = value_of(argument, "--restore")))
    o->restore = v;
  else if ((v = value_of(argument, "--save")))
    o->save = v;
  else if ((v = value_of(argument, "--rtol")))
    bad = real(v, &o->rtol);
  else if ((v = value_of(argument, "--atol")))
    bad = real(v, &o->atol);
  else
    return -1;
  return bad ? 2 : 0;
}

/// Whether both paths name one file. A device may take several files.
static int same(const char *a, const char *b) {
  struct stat x, y;
  if (!a || !b)
    return 0;
  if (stat(a, &x) || stat(b, &y))
    return !strcmp(a, b);
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/// A trace or a profile must not replace the library or the other one.
static int check_files(const struct options *o) {
  if (same(o->trace, o->profile_file))
    return usage("--trace and --profile name the same file", o->trace);
  if (same(o->trace, o->library))
    return usage("--trace names the library", o->trace);
  if (same(o->profile_file, o->library))
    return usage("--profile names the library", o->profile_file);
  return 0;
}

int options_read(int argc, char **argv, int library, struct options *o) {
  memset(o, 0, sizeof *o);
  o->rtol = 1e-5;
  o->atol = 1e-8;
  o->argc = argc;
  o->argv = argv;
  o->timeout_ms = 60000;
  o->inputs = calloc((size_t)argc + 1, sizeof *o->inputs);
  o->expects = calloc((size_t)argc + 1, sizeof *o->expects);
  o->hparams = calloc((size_t)argc + 1, sizeof *o->hparams);
  if (!o->inputs || !o->expects || !o->hparams)
    return no_memory();
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      print_help(stdout, library);
      exit(flushed(0));
    }
    int status = one(argv[i], o);
    if (status < 0)
      status = one_of_training(argv[i], o);
    if (status < 0)
      status = one_of_profiles(argv[i], o);
    if (status < 0)
      status = one_of_ranks(argv[i], o);
    if (status == USAGE)
      return usage("bad value in", argv[i]);
    if (status == LIMIT)
      return status;
    if (status == 0)
      continue;
    if (argv[i][0] == '-' || !library || o->library)
      return usage("unknown argument", argv[i]);
    o->library = argv[i];
  }
  if (o->train && !o->num_data)
    return usage("nothing to train on: give", "--data=X.npy,Y.npy");
  if (!o->train && (o->num_data || o->metrics || o->tensorboard || o->curve ||
                    o->histograms || o->gradients || o->num_hparams ||
                    o->save_every || o->shuffle || o->batch || o->epochs))
    return usage("what goes with training wants", "--train");
  if (!o->tensorboard && (o->histograms || o->gradients || o->num_hparams))
    return usage(o->histograms  ? "--histograms are events: give"
                 : o->gradients ? "--gradients are events: give"
                                : "--hparam is for events: give",
                 "--tensorboard=DIR");
  int is_unsaid =
      o->save_every || (o->restore && !strcmp(o->restore, "latest"));
  if (is_unsaid && !o->save)
    return usage("where to save is not said: give", "--save=PATH");
  if (o->train &&
      (o->num_expects || o->output_dir || o->json || o->repeat || o->warmup))
    return usage("training gives no outputs and takes no part in measuring:",
                 o->num_expects  ? "--expect"
                 : o->output_dir ? "--output-dir"
                 : o->json       ? "--json"
                 : o->repeat     ? "--repeat"
                                 : "--warmup");
  if (o->ranks && !o->comm)
    return usage("how ranks exchange messages is not said: give",
                 "--comm=threads");
  if (o->trace_events && !o->trace)
    return usage("no trace is asked for: give", "--trace=FILE.json");
  if (o->json && o->profile && !o->profile_file)
    return usage("stdout has the JSON of the run: give", "--profile=FILE.json");
  if (library && !o->library) {
    print_help(stderr, library);
    return 2;
  }
  return check_files(o);
}

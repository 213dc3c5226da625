// Outputs as files, each called after its output.

#include "tools/run/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PATH = 4096 };

/// What stands in a file's name for a character of a tensor's.
static char in_file(char c) { return c == '/' || c == ':' ? '_' : c; }

static int same_file(const char *a, const char *b) {
  for (; *a && in_file(*a) == in_file(*b); ++a, ++b)
    ;
  return !*a && !*b;
}

/// Whether each output can have a file of its own.
int outputs_check(struct run *run) {
  const weir_function_info *f = run->function;
  for (uint32_t i = 0; run->options.output_dir && i < f->num_outputs; ++i) {
    const char *name = f->outputs[i].name;
    // Folders take names of up to 255 bytes.
    if (strlen(name) + strlen(".npy") > 255 ||
        strlen(run->options.output_dir) + strlen(name) > MAX_PATH - 8) {
      snprintf(
          run->error, sizeof run->error,
          "output '%.200s...': its name is too long for a file in '%.200s'",
          name, run->options.output_dir);
      return fail(run->error, FAULT);
    }
    for (uint32_t k = 0; k < i; ++k)
      if (same_file(name, f->outputs[k].name)) {
        snprintf(run->error, sizeof run->error,
                 "outputs '%.200s' and '%.200s' would be one file in "
                 "--output-dir",
                 f->outputs[k].name, name);
        return fail(run->error, FAULT);
      }
  }
  return 0;
}

/// `dir/NAME.npy` of an output's name in the signature.
int output_write(struct run *run, const char *name, const struct array *array) {
  char path[MAX_PATH];
  int at = snprintf(path, sizeof path, "%s/", run->options.output_dir);
  snprintf(path + at, sizeof path - (size_t)at, "%s.npy", name);
  for (; path[at]; ++at)
    path[at] = in_file(path[at]);
  int status = npy_write(&run->files[run->num_files], path, array, run->error,
                         sizeof run->error);
  if (status)
    return fail(run->error, status);
  ++run->num_files;
  return 0;
}

int outputs_place(struct run *run, int status) {
  if (status == IO || status == LIMIT) {
    for (uint32_t i = 0; i < run->num_files; ++i)
      whole_drop(&run->files[i]);
  } else if (whole_place(run->files, run->num_files)) {
    snprintf(run->error, sizeof run->error, "cannot write to '%.800s': %s",
             run->options.output_dir, strerror(errno));
    status = fail(run->error, IO);
  }
  run->num_files = 0;
  return status;
}

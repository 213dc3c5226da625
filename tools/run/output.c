// Outputs as files, each called after its output.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/output.h"

#include "tools/run/file/name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PATH = 4096 };

/// Whether another output has the same short file name.
static int is_ambiguous(const weir_function_info *f, const char *name) {
  int count = 0;
  for (uint32_t i = 0; i < f->num_outputs; ++i)
    count += same_file_name(f->outputs[i].name, name);
  return count > 1;
}

/// Creates the folder and those around it, as far as they are absent.
static int make_folder(const char *path) {
  char part[MAX_PATH];
  for (size_t i = 0; i < sizeof part; ++i) {
    if (i && (path[i] == '/' || !path[i])) {
      memcpy(part, path, i);
      part[i] = 0;
      if (mkdir(part, 0777) && errno != EEXIST)
        return -1;
    }
    if (!path[i])
      return 0;
  }
  errno = ENAMETOOLONG;
  return -1;
}

static int too_long(struct run *run, const char *name) {
  snprintf(run->error, sizeof run->error,
           "output '%.200s...': its name is too long for a file in '%.200s'",
           name, run->options.output_dir);
  return fail(run->error, FAULT);
}

/// An error if an escaped name is the name of another output.
static int check_escaped(struct run *run, uint32_t i, const char *file) {
  const weir_function_info *f = run->function;
  char other[MAX_FILE_NAME + 1];
  for (uint32_t k = 0; k < f->num_outputs; ++k) {
    const char *name = f->outputs[k].name;
    if (k == i || file_name(name, is_ambiguous(f, name), other) ||
        strcmp(file, other))
      continue;
    snprintf(run->error, sizeof run->error,
             "outputs '%.200s' and '%.200s' would be one file in --output-dir",
             f->outputs[i].name, name);
    return fail(run->error, FAULT);
  }
  return 0;
}

int outputs_check(struct run *run) {
  const weir_function_info *f = run->function;
  const char *folder = run->options.output_dir;
  if (!folder)
    return 0;
  for (uint32_t i = 0; i < f->num_outputs; ++i) {
    const char *name = f->outputs[i].name;
    char file[MAX_FILE_NAME + 1];
    int escapes = is_ambiguous(f, name);
    if (file_name(name, escapes, file) ||
        strlen(folder) + strlen(file) > MAX_PATH - 2)
      return too_long(run, name);
    int status = escapes ? check_escaped(run, i, file) : 0;
    if (status)
      return status;
  }
  if (!make_folder(folder))
    return 0;
  snprintf(run->error, sizeof run->error, "cannot create '%.800s': %s", folder,
           strerror(errno));
  return fail(run->error, IO);
}

int output_write(struct run *run, const char *name, const struct array *array) {
  char path[MAX_PATH], file[MAX_FILE_NAME + 1];
  if (file_name(name, is_ambiguous(run->function, name), file))
    return too_long(run, name);
  snprintf(path, sizeof path, "%s/%s", run->options.output_dir, file);
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

// Sums the counts of tasks by kernels or by nodes.

#include "tools/run/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/// A text that grows up to its room; the length counts what has no room, too.
struct text {
  char *at;
  size_t size, length;
};

static void append(struct text *to, const char *part) {
  size_t left = to->length < to->size ? to->size - to->length : 0;
  int length = snprintf(left ? to->at + to->length : NULL, left, "%s", part);
  to->length += (size_t)length;
}

int profile_nodes(const weir_profile_task *task, char *to, size_t size) {
  struct text text = {to, size, 0};
  if (size)
    *to = 0;
  if (!task->num_nodes) {
    append(&text, "[");
    append(&text, task->kernel);
    append(&text, "]");
  }
  for (uint64_t i = 0; i < task->num_nodes; ++i) {
    append(&text, i ? ", " : "");
    append(&text, task->nodes[i]);
  }
  return (int)text.length;
}

static char *name_of(const weir_profile_task *task, int by_nodes) {
  size_t size = 1 + (by_nodes ? (size_t)profile_nodes(task, NULL, 0)
                              : strlen(task->kernel));
  char *name = malloc(size);
  if (name && by_nodes)
    profile_nodes(task, name, size);
  else if (name)
    memcpy(name, task->kernel, size);
  return name;
}

static int by_name(const void *a, const void *b) {
  const struct profile_row *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static int by_time(const void *a, const void *b) {
  const struct profile_row *x = a, *y = b;
  if (x->nanoseconds != y->nanoseconds)
    return x->nanoseconds < y->nanoseconds ? 1 : -1;
  return strcmp(x->name, y->name);
}

/// The rows of one name become one.
static void merge(struct profile_rows *rows) {
  if (rows->count)
    qsort(rows->all, rows->count, sizeof *rows->all, by_name);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < rows->count; ++i) {
    struct profile_row *row = &rows->all[i],
                       *last = kept ? &rows->all[kept - 1] : NULL;
    if (!last || strcmp(last->name, row->name)) {
      rows->all[kept++] = *row;
      continue;
    }
    last->calls += row->calls;
    last->nanoseconds += row->nanoseconds;
    last->bytes += row->bytes;
    last->multiply_adds += row->multiply_adds;
    free(row->name);
  }
  rows->count = kept;
}

int profile_sum(const struct profile *profile, int by_nodes,
                struct profile_rows *rows) {
  rows->count = 0;
  rows->all = calloc((size_t)profile->count + 1, sizeof *rows->all);
  if (!rows->all)
    return -1;
  for (uint32_t i = 0; i < profile->count; ++i) {
    const weir_profile_task *task = &profile->tasks[i];
    uint64_t calls = profile->times[i].calls;
    if (!calls)
      continue;
    char *name = name_of(task, by_nodes);
    if (!name)
      return -1;
    // A kernel of several parts is called once for all of them.
    rows->all[rows->count++] = (struct profile_row){
        name, task->phase ? 0 : calls, profile->times[i].nanoseconds,
        calls * (task->bytes_read + task->bytes_written),
        calls * task->multiply_adds};
  }
  merge(rows);
  if (rows->count)
    qsort(rows->all, rows->count, sizeof *rows->all, by_time);
  return 0;
}

void profile_free(struct profile_rows *rows) {
  for (uint32_t i = 0; rows->all && i < rows->count; ++i)
    free(rows->all[i].name);
  free(rows->all);
  rows->all = NULL;
  rows->count = 0;
}

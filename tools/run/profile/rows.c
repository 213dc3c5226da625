// Sums the counts of tasks by kernels or by nodes.

#include "tools/run/execute.h"

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

/// Removes `_phase_N` from symbols with " + " between them: a kernel that has
/// barriers is one kernel.
static void drop_phases(char *symbols) {
  static const char mark[] = "_phase_";
  char *to = symbols;
  for (const char *from = symbols; *from;) {
    size_t digits = strncmp(from, mark, sizeof mark - 1)
                        ? 0
                        : strspn(from + sizeof mark - 1, "0123456789");
    const char *end = digits ? from + sizeof mark - 1 + digits : from;
    if (digits && (!*end || !strncmp(end, " + ", 3)))
      from = end;
    else
      *to++ = *from++;
  }
  *to = 0;
}

/// The nodes or the kernels of a task, after the name of a function if it is
/// not null.
static char *name_of(const weir_profile_task *task, int by_nodes,
                     const char *function) {
  size_t head = function ? strlen(function) + strlen(": ") : 0;
  size_t size = 1 + (by_nodes ? (size_t)profile_nodes(task, NULL, 0)
                              : strlen(task->kernel));
  char *name = malloc(head + size);
  if (!name)
    return NULL;
  if (function)
    snprintf(name, head + 1, "%s: ", function);
  if (by_nodes) {
    profile_nodes(task, name + head, size);
  } else {
    memcpy(name + head, task->kernel, size);
    drop_phases(name + head);
  }
  return name;
}

uint32_t profile_functions(const struct run *run, uint32_t *first) {
  const struct profile *profile = &run->profile;
  uint32_t count = 0;
  for (uint32_t f = 0; f < run->info->num_functions; ++f)
    for (uint32_t i = 0; i < profile->count; ++i)
      if (profile->times[i].calls && profile->tasks[i].function == f) {
        *first = count++ ? *first : f;
        break;
      }
  return count;
}

const char *profile_variant(const struct run *run) {
  uint32_t level = run->profile.runs.level;
  return run->info->num_levels > 1 && level && level <= run->info->num_levels
             ? run->info->levels[level - 1]
             : NULL;
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

int profile_sum(const struct run *run, int by_nodes,
                struct profile_rows *rows) {
  const struct profile *profile = &run->profile;
  uint32_t first, is_one = profile_functions(run, &first) < 2;
  rows->count = 0;
  rows->all = calloc((size_t)profile->count + 1, sizeof *rows->all);
  if (!rows->all)
    return -1;
  for (uint32_t i = 0; i < profile->count; ++i) {
    const weir_profile_task *task = &profile->tasks[i];
    uint64_t calls = profile->times[i].calls;
    if (!calls)
      continue;
    char *name =
        name_of(task, by_nodes,
                is_one ? NULL : run->info->functions[task->function].name);
    if (!name)
      return -1;
    // A kernel of several parts is called once for all of them.
    rows->all[rows->count++] = (struct profile_row){
        name, task->phase ? 0 : calls, profile->times[i].nanoseconds,
        (double)calls *
            ((double)task->bytes_read + (double)task->bytes_written),
        (double)calls * (double)task->multiply_adds};
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

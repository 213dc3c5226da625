// Writes a trace in the format of Chrome, which Perfetto reads: a lane a
// thread, or one for the GPU.

#include "tools/run/execute.h"

#include <stdlib.h>
#include <string.h>

static void write_lane_name(FILE *to, uint32_t lane, int is_gpu) {
  const char *kind = is_gpu ? "GPU" : lane ? "worker" : "caller";
  fprintf(to,
          "%s\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, "
          "\"tid\": %u, \"args\": {\"name\": \"%s %u\"}}",
          lane ? "," : "", lane, kind, lane);
}

/// "nodes [kernel]", or the kernel alone where memory ends.
static void write_task_name(FILE *to, const weir_profile_task *task) {
  size_t nodes = (size_t)profile_nodes(task, NULL, 0);
  size_t size = nodes + strlen(task->kernel) + sizeof " []";
  char *text = malloc(size);
  if (text)
    profile_nodes(task, text, size);
  if (text && task->num_nodes)
    snprintf(text + nodes, size - nodes, " [%s]", task->kernel);
  json_text(to, text ? text : task->kernel);
  free(text);
}

static const char *category_of(uint32_t kind) {
  switch (kind) {
  case WEIR_PROFILE_TASK:
    return "task";
  case WEIR_PROFILE_CHUNK:
    return "chunk";
  case WEIR_PROFILE_WAIT:
    return "wait";
  default:
    return "run";
  }
}

static void write_event(FILE *to, const struct run *run, uint32_t lane,
                        const weir_profile_event *event) {
  fputs(",\n{\"name\": ", to);
  if (event->kind == WEIR_PROFILE_RUN)
    json_text(to, run->info->functions[event->task].name);
  else if (event->kind == WEIR_PROFILE_WAIT)
    json_text(to, "wait at a barrier");
  else
    write_task_name(to, &run->profile.tasks[event->task]);
  fprintf(to,
          ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %u, "
          "\"ts\": %.3f, \"dur\": %.3f",
          category_of(event->kind), lane, (double)event->begin / 1e3,
          (double)(event->end - event->begin) / 1e3);
  if (event->kind != WEIR_PROFILE_RUN)
    fprintf(to, ", \"args\": {\"task\": %u}", event->task);
  fputs("}", to);
}

/// An event comes before those that it contains. A lane has events in the order
/// of their ends, so that of two with the same times the later one contains the
/// other.
static int outer_first(const void *a, const void *b) {
  const weir_profile_event *x = *(const weir_profile_event *const *)a,
                           *y = *(const weir_profile_event *const *)b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x > y ? -1 : x < y;
}

/// Writes the events in the order of their beginnings: readers nest those of
/// the same beginning by their order.
static int write_lane(FILE *to, const struct run *run, uint32_t lane,
                      const weir_profile_event *events, uint64_t count) {
  const weir_profile_event **order =
      malloc((size_t)(count + 1) * sizeof *order);
  if (!order)
    return -1;
  for (uint64_t i = 0; i < count; ++i)
    order[i] = &events[i];
  qsort(order, (size_t)count, sizeof *order, outer_first);
  for (uint64_t i = 0; i < count; ++i)
    write_event(to, run, lane, order[i]);
  free(order);
  return 0;
}

int profile_trace(FILE *to, const struct run *run, weir_profile_event **lanes,
                  const uint64_t *counts) {
  uint32_t threads = run->profile.runs.threads;
  int bad = 0;
  fputs("[", to);
  for (uint32_t lane = 0; lane < threads; ++lane)
    write_lane_name(to, lane, run->profile.runs.on_gpu);
  for (uint32_t lane = 0; lane < threads && !bad; ++lane)
    bad = write_lane(to, run, lane, lanes[lane], counts[lane]);
  fputs("\n]\n", to);
  return bad;
}

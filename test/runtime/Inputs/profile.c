/* The profile and the trace of a model that is written by hand, with threads of
 * the runtime's and of the caller's. */
#define _POSIX_C_SOURCE 200809L
#include "profile.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

static void check(int good, const char *what) {
  if (!good)
    ++failures, puts(what);
}

static weir_context *create(int threads, void *memory) {
  weir_config config = WEIR_CONFIG_INIT;
  weir_threads wanted = {NULL, threads, NULL};
  weir_context *context = NULL;
  config.threads = &wanted;
  check(weir_profile_create(&model, memory, &config, &context) == WEIR_OK,
        "create");
  return context;
}

static void run(weir_context *context, int times, float *out) {
  static float in[WORK_ITEMS];
  void *tensors[] = {in, out};
  for (int i = 0; i < times; ++i)
    check(weir_model_run(&model.model, context, 0, tensors, 2) == WEIR_OK,
          "run");
}

static void check_counts(weir_context *context, uint64_t runs) {
  weir_profile_time times[4];
  weir_profile_runs all;
  check(weir_profile_read(&model, context, times, 4, &all) == WEIR_OK, "read");
  check(all.runs == runs, "runs");
  check(times[0].calls == runs && times[1].calls == runs, "calls");
  check(times[2].calls == REPEATS * runs, "calls in a loop");
  check(!times[3].calls && !times[3].nanoseconds, "a kernel of a region");
  uint64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += times[i].nanoseconds;
  check(sum <= all.nanoseconds, "tasks take no longer than their runs");
  check(!runs == !all.nanoseconds, "the time of runs");
}

static void check_errors(weir_context *context) {
  const weir_profile_task *table = NULL;
  uint32_t count = 0;
  weir_profile_time times[4];
  weir_profile_event event;
  uint64_t one = 1;
  check(weir_profile_tasks(&model, context, &table, &count) == WEIR_OK &&
            table == tasks && count == 4,
        "the table");
  check(weir_profile_tasks(&model, NULL, &table, &count) == WEIR_ERR_NULL,
        "no context");
  check(weir_profile_tasks(&model, context, NULL, &count) == WEIR_ERR_NULL,
        "no table");
  check(weir_profile_read(&model, context, times, 3, NULL) == WEIR_ERR_SIZE,
        "another count");
  check(weir_profile_read(&model, context, NULL, 4, NULL) == WEIR_ERR_NULL,
        "no times");
  check(weir_profile_events(&model, context, 0, &event, &one) == WEIR_ERR_SIZE,
        "no trace");
  check(weir_profile_trace(&model, context, &event, 1) == WEIR_ERR_SIZE,
        "a trace without room");
  context->busy = 1;
  check(weir_profile_reset(&model, context) == WEIR_ERR_BUSY, "busy");
  context->busy = 0;
}

static int inside(const weir_profile_event *a, const weir_profile_event *b) {
  return a->begin >= b->begin && a->end <= b->end;
}

/* Each chunk and each wait lies in its task's event, and that in the run's. */
static void check_nesting(const weir_profile_event *lane, uint64_t count,
                          const weir_profile_event *caller, uint64_t callers) {
  for (uint64_t i = 0; i < count; ++i) {
    int found = lane[i].kind == WEIR_PROFILE_RUN;
    uint32_t around = lane[i].kind == WEIR_PROFILE_TASK ? WEIR_PROFILE_RUN
                                                        : WEIR_PROFILE_TASK;
    for (uint64_t k = 0; k < callers; ++k)
      found |= caller[k].kind == around && inside(&lane[i], &caller[k]) &&
               (around == WEIR_PROFILE_RUN || caller[k].task == lane[i].task ||
                (caller[k].task == 1 && lane[i].task == 3));
    check(found, "an event outside of its task or run");
    check(!i || lane[i - 1].end <= lane[i].end, "the order of events");
  }
}

static void check_trace(weir_context *context, uint32_t threads, float *out) {
  enum { ROOM = 500, RUNS = 5 };
  static weir_profile_event memory[4 * (ROOM + 1)], lanes[4][ROOM];
  uint64_t counts[4], kinds[4] = {0};
  check(weir_profile_trace(&model, context, memory, threads * (ROOM + 1)) ==
            WEIR_OK,
        "trace");
  run(context, RUNS, out);
  for (uint32_t i = 0; i < threads; ++i) {
    counts[i] = ROOM;
    check(weir_profile_events(&model, context, i, lanes[i], &counts[i]) ==
              WEIR_OK,
          "events");
    for (uint64_t k = 0; k < counts[i]; ++k)
      ++kinds[lanes[i][k].kind];
  }
  for (uint32_t i = 0; i < threads; ++i)
    check_nesting(lanes[i], counts[i], lanes[0], counts[0]);
  check(kinds[WEIR_PROFILE_RUN] == RUNS, "an event a run");
  check(kinds[WEIR_PROFILE_TASK] == RUNS * (2 + REPEATS), "an event a task");
  /* Each of the chunks has one kernel, whose event it contains. */
  check(kinds[WEIR_PROFILE_CHUNK] ==
            (threads > 1 ? RUNS * threads * 4 * 2 : RUNS),
        "an event a chunk");
  check(!kinds[WEIR_PROFILE_WAIT] == (threads == 1), "events of waiting");
  uint64_t few = 1;
  check(weir_profile_events(&model, context, 0, lanes[1], &few) == WEIR_OK &&
            few == 1 && lanes[1][0].kind == WEIR_PROFILE_RUN,
        "the last event");
  check(weir_profile_events(&model, context, threads, lanes[1], &few) ==
            WEIR_ERR_SIZE,
        "a lane that is not");
}

/* A lane with room for two events keeps the last two. */
static void check_ring(weir_context *context, float *out) {
  weir_profile_event memory[3], last[3];
  uint64_t count = 3;
  check(weir_profile_trace(&model, context, memory, 3) == WEIR_OK, "trace");
  run(context, 2, out);
  check(weir_profile_events(&model, context, 0, last, &count) == WEIR_OK &&
            count == 2 && last[0].kind == WEIR_PROFILE_TASK &&
            last[0].task == 2 && last[1].kind == WEIR_PROFILE_RUN,
        "the last two events");
  check(weir_profile_reset(&model, context) == WEIR_OK, "reset");
  count = 3;
  check(weir_profile_events(&model, context, 0, last, &count) == WEIR_OK &&
            count == 0,
        "no events after a reset");
  check(weir_profile_trace(&model, context, NULL, 0) == WEIR_OK, "no trace");
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A pause is as long in a trace of short runs as by the clock of the system. */
static void check_scale(weir_context *context, float *out) {
  enum { RUNS = 200, ROOM = 4 * RUNS };
  static weir_profile_event memory[ROOM + 1], events[ROOM];
  uint64_t count = ROOM;
  struct timespec pause = {0, 20000000};
  is_short = 1;
  check(weir_profile_reset(&model, context) == WEIR_OK, "reset");
  check(weir_profile_trace(&model, context, memory, ROOM + 1) == WEIR_OK,
        "trace");
  uint64_t begin = now_ns();
  run(context, RUNS, out);
  uint64_t least = now_ns();
  nanosleep(&pause, NULL);
  least = now_ns() - least;
  run(context, RUNS, out);
  uint64_t most = now_ns() - begin;
  check(weir_profile_events(&model, context, 0, events, &count) == WEIR_OK &&
            count == ROOM,
        "events of short runs");
  uint64_t span = events[ROOM - 1].end - events[0].begin;
  check(span <= most + most / 16, "a trace is not longer than its runs");
  check(span >= least - least / 16, "a trace is not shorter than a pause");
  check(weir_profile_trace(&model, context, NULL, 0) == WEIR_OK, "no trace");
  is_short = 0;
}

/* In a forked child no other thread computes or waits. */
static void check_fork(weir_context *context, float *out) {
  enum { ROOM = 100 };
  static weir_profile_event memory[4 * ROOM], events[ROOM];
  check(weir_profile_trace(&model, context, memory, 4 * ROOM) == WEIR_OK,
        "trace");
  run(context, 1, out);
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    failures = 0;
    check(weir_profile_reset(&model, context) == WEIR_OK, "reset");
    run(context, 1, out);
    for (uint32_t lane = 0; lane < 4; ++lane) {
      uint64_t count = ROOM, tasks = 0;
      check(weir_profile_events(&model, context, lane, events, &count) ==
                WEIR_OK,
            "events of a child");
      for (uint64_t i = 0; i < count; ++i) {
        check(events[i].kind != WEIR_PROFILE_WAIT, "a wait in a child");
        tasks += events[i].kind == WEIR_PROFILE_TASK;
      }
      check(lane ? !count : tasks == 2 + REPEATS, "lanes of a child");
    }
    fflush(stdout);
    _exit(failures != 0);
  }
  int status = 1;
  check(child > 0 && waitpid(child, &status, 0) == child && !status, "a fork");
  check(weir_profile_trace(&model, context, NULL, 0) == WEIR_OK, "no trace");
}

int main(int argc, char **argv) {
  static _Alignas(64) char memory[1 << 14];
  float one[WORK_ITEMS], many[WORK_ITEMS];
  (void)argv;
  settle();
  memset(memory, 0x5a, sizeof memory);
  for (int threads = 1; threads <= 4; threads += 3) {
    weir_context *context = create(threads, memory);
    float *out = threads == 1 ? one : many;
    check_counts(context, 0);
    check_errors(context);
    run(context, 7, out);
    check_counts(context, 7);
    check_trace(context, (uint32_t)threads, out);
    check_counts(context, 12);
    if (threads == 1)
      check_ring(context, out), check_scale(context, out);
    else if (argc == 1) /* not under a sanitizer of threads */
      check_fork(context, out);
    check(weir_profile_reset(&model, context) == WEIR_OK, "reset");
    check_counts(context, 0);
    weir_model_destroy(&model.model, context);
    check(weir_profile_reset(&model, context) == WEIR_ERR_CONTEXT, "destroyed");
    check(memory[info.context_bytes] == 0x5a, "no more than the context");
  }
  check(!memcmp(one, many, sizeof one), "the same bits");
  printf("%d failures\n", failures);
  return failures != 0;
}

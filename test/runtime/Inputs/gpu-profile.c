/* The profile of a model for a GPU, with the times of the stand-in for the
 * driver: a kernel takes 4 us, the next one 8, and other work 1. */
#define _POSIX_C_SOURCE 200809L
#include "gpu-profile.h"

#include <pthread.h>
#include <stdio.h>

static int failures;

static void check(int good, const char *what) {
  if (!good)
    ++failures, puts(what);
}

static int create(void **context, void *memory) {
  char message[1024] = "";
  weir_config config = WEIR_CONFIG_INIT;
  config.message = message;
  config.message_bytes = sizeof message;
  weir_status status = weir_gpu_model_create(&model, memory, &config, context);
  printf("create: %d %s%s%s\n", status, weir_gpu_status_text(status),
         *message ? ": " : "", message);
  return (int)status;
}

static weir_status run(void *context, uint32_t function, int32_t first) {
  int32_t x[4] = {first}, y[4];
  void *given[] = {x, y};
  return weir_gpu_model_run(&model, context, function, given, 2);
}

/* In the context's own memory, where no tensor is copied. */
static weir_status run_on_device(void *context, uint32_t function,
                                 int32_t first) {
  void *given[] = {weir_gpu_model_tensor(&model, context, function, 0),
                   weir_gpu_model_tensor(&model, context, function, 1)};
  memcpy(given[0], &first, sizeof first);
  return weir_gpu_model_run_device(&model, context, function, given, 2, NULL);
}

static void check_counts(void *context, uint64_t chains, uint64_t loops,
                         uint64_t turns, uint64_t nanoseconds) {
  static const uint64_t each[TASKS] = {1000, 4000, 8000, 8000};
  weir_profile_time times[TASKS];
  weir_profile_runs runs;
  check(weir_gpu_profile_read(&model, context, times, TASKS, &runs) == WEIR_OK,
        "read");
  for (int i = 0; i < TASKS; ++i) {
    check(times[i].calls == (i == 3 ? turns : chains), "calls");
    check(times[i].nanoseconds == times[i].calls * each[i], "time of a task");
  }
  check(runs.runs == chains + loops && runs.on_gpu == 1 && runs.threads == 1,
        "runs");
  check(!nanoseconds || runs.nanoseconds == nanoseconds, "time of runs");
}

static void check_runs(void *context) {
  for (int i = 0; i < 3; ++i)
    check(run(context, 0, 1) == WEIR_OK, "run");
  /* The tasks, the check, and the copies of both tensors. */
  check_counts(context, 3, 0, 0, 3 * (13000 + 1000 + 2000));
  /* A run whose check fails counts. */
  check(run(context, 0, 0) == WEIR_ERR_CHECK, "a check");
  check_counts(context, 4, 0, 0, 4 * 16000);
  /* Runs on a stream of the caller's, which nothing waits for but the read. */
  check(run_on_device(context, 0, 1) == WEIR_OK &&
            run_on_device(context, 0, 1) == WEIR_OK,
        "run_device");
  check_counts(context, 6, 0, 0, 4 * 16000 + 2 * 14000);
  check(weir_gpu_model_wait(&model, context) == WEIR_OK, "wait");
  /* More turns than events. */
  check(run(context, 1, 100) == WEIR_OK, "a loop");
  check_counts(context, 6, 1, 100, 0);
  check(run_on_device(context, 1, 2) == WEIR_OK, "a loop on a stream");
  check(run(context, 1, 0) == WEIR_OK, "a loop without a turn");
  check_counts(context, 6, 3, 102, 0);
  check(weir_gpu_profile_reset(&model, context) == WEIR_OK, "reset");
  check_counts(context, 0, 0, 0, 0);
}

static void check_trace(void *context) {
  static weir_profile_event memory[ROOM], events[ROOM];
  uint64_t count = ROOM;
  check(weir_gpu_profile_trace(&model, context, memory, ROOM) == WEIR_OK,
        "trace");
  check(run(context, 0, 1) == WEIR_OK &&
            run_on_device(context, 0, 1) == WEIR_OK,
        "traced runs");
  check(weir_gpu_profile_events(&model, context, 0, events, &count) == WEIR_OK,
        "events");
  /* The copy of the first run's input, and the tasks behind it; the other run
   * begins where that has ended. */
  static const weir_profile_event wanted[] = {
      {1000, 2000, 0, WEIR_PROFILE_TASK},
      {2000, 6000, 1, WEIR_PROFILE_TASK},
      {7000, 15000, 2, WEIR_PROFILE_TASK},
      {0, 16000, 0, WEIR_PROFILE_RUN},
      {16000, 17000, 0, WEIR_PROFILE_TASK},
      {17000, 21000, 1, WEIR_PROFILE_TASK},
      {22000, 30000, 2, WEIR_PROFILE_TASK},
      {16000, 30000, 0, WEIR_PROFILE_RUN}};
  check(count == 8 && !memcmp(events, wanted, sizeof wanted), "the events");
  check(run(context, 1, 50) == WEIR_OK, "a traced loop");
  count = ROOM;
  check(weir_gpu_profile_events(&model, context, 0, events, &count) ==
                WEIR_OK &&
            count == 8 + 51,
        "events of a loop");
  const weir_profile_event *last = &events[count - 1];
  check(last->kind == WEIR_PROFILE_RUN && last->task == 1, "the run of a loop");
  for (uint64_t i = 8; i + 1 < count; ++i)
    check(events[i].end - events[i].begin == 8000 &&
              events[i].begin >= last->begin && events[i].end <= last->end &&
              (i == 8 || events[i].begin >= events[i - 1].end),
          "a turn of a loop");
  check(weir_gpu_profile_trace(&model, context, NULL, 0) == WEIR_OK,
        "no trace");
  check(run(context, 0, 1) == WEIR_OK, "a run without a trace");
}

static void check_errors(void *context) {
  weir_profile_time times[TASKS];
  weir_profile_event event;
  const weir_profile_task *tasks = NULL;
  uint32_t count = 0;
  uint64_t one = 1;
  check(weir_gpu_profile_tasks(&model, context, &tasks, &count) == WEIR_OK &&
            tasks == table && count == TASKS,
        "the table");
  check(weir_gpu_profile_tasks(&model, context, NULL, &count) == WEIR_ERR_NULL,
        "no table");
  check(weir_gpu_profile_read(&model, NULL, times, TASKS, NULL) ==
            WEIR_ERR_NULL,
        "no context");
  check(weir_gpu_profile_read(&model, context, times, 3, NULL) == WEIR_ERR_SIZE,
        "another count");
  check(strstr(weir_gpu_model_last_error(&model, context), "number of tasks") !=
            NULL,
        "the text");
  check(weir_gpu_profile_events(&model, context, 0, &event, &one) ==
            WEIR_ERR_SIZE,
        "no trace");
  check(weir_gpu_profile_trace(&model, context, &event, 1) == WEIR_ERR_SIZE,
        "a trace without room");
  void *nothing = calloc(1, info.context_bytes);
  check(weir_gpu_profile_reset(&model, nothing) == WEIR_ERR_CONTEXT,
        "no context of the model");
  free(nothing);
  weir_context *host =
      (weir_context *)(void *)((char *)context + model.context_at);
  host->busy = 1;
  check(weir_gpu_profile_reset(&model, context) == WEIR_ERR_BUSY, "busy");
  host->busy = 0;
}

/* Each call of the driver may fail: no status is lost. */
static int runs(void) {
  static weir_profile_event memory[ROOM];
  weir_profile_time times[TASKS];
  void *context;
  if (create(&context, NULL))
    return 2;
  int wrong = 0;
  for (int i = 0; i < 7; ++i) {
    weir_status status =
        i == 0   ? weir_gpu_profile_trace(&model, context, memory, ROOM)
        : i == 1 ? run(context, 0, 1)
        : i == 2 ? run(context, 1, 9)
        : i == 3 ? run_on_device(context, 0, 1)
        : i == 4 ? run_on_device(context, 1, 1)
        : i == 5 ? weir_gpu_profile_read(&model, context, times, TASKS, NULL)
                 : run(context, 0, 1);
    wrong += status != WEIR_OK;
    printf("%d: %s\n", status,
           status ? weir_gpu_model_last_error(&model, context) : "");
  }
  /* A destroy has no status. */
  unsetenv("WEIR_CUDA_FAIL");
  weir_gpu_model_destroy(&model, context);
  return wrong ? 2 : 0;
}

static void *one_of_many(void *argument) {
  void *context;
  (void)argument;
  if (weir_gpu_model_create(&model, NULL, NULL, &context))
    return &failures;
  weir_profile_time times[TASKS];
  long bad = 0;
  for (int i = 1; i <= 50; ++i) {
    bad += run(context, 0, 1) || run(context, 1, 10);
    bad += weir_gpu_profile_read(&model, context, times, TASKS, NULL) ||
           times[2].calls != (uint64_t)i || times[3].calls != 10 * (uint64_t)i;
  }
  weir_gpu_model_destroy(&model, context);
  return bad ? &failures : NULL;
}

static int many(void) {
  pthread_t threads[4];
  int bad = 0;
  for (int i = 0; i < 4; ++i)
    bad += pthread_create(&threads[i], NULL, one_of_many, NULL) != 0;
  for (int i = 0; i < 4; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    bad += result != NULL;
  }
  printf("%d wrong\n", bad);
  return bad != 0;
}

int main(int argc, char **argv) {
  settle();
  if (argc > 1 && !strcmp(argv[1], "runs"))
    return runs();
  if (argc > 1)
    return many();
  void *context;
  char *memory = aligned_alloc(64, info.context_bytes);
  memset(memory, 0xa5, info.context_bytes);
  for (int own = 0; own < 2; ++own) {
    if (create(&context, own ? memory : NULL))
      return 2;
    check_runs(context);
    check_errors(context);
    check_trace(context);
    weir_gpu_model_destroy(&model, context);
  }
  free(memory);
  printf("%d failures\n", failures);
  return failures != 0;
}

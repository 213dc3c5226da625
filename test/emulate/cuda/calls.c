// The log of the calls, the calls that must fail, and the leak check at the
// end.

#include "cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread int current;
__thread long capturing;
static FILE *file;
static long calls, live_objects, name_calls;

long number_of(const char *name, long by_default) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : by_default;
}

void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&lock);
  if (!file) {
    const char *path = getenv("WEIR_CUDA_LOG");
    file = fopen(path ? path : "/dev/null", "w");
    if (!file)
      abort();
    setvbuf(file, NULL, _IOLBF, 0);
  }
  vfprintf(file, format, list);
  fputc('\n', file);
  pthread_mutex_unlock(&lock);
  va_end(list);
}

int planned(const char *name) {
  const char *plan = getenv("WEIR_CUDA_FAIL");
  pthread_mutex_lock(&lock);
  ++calls;
  int error = OK;
  if (plan && *plan >= '0' && *plan <= '9') {
    error = calls == atol(plan) ? UNKNOWN : OK;
  } else if (plan && *plan) {
    size_t length = strcspn(plan, ":");
    if (strlen(name) == length && !strncmp(name, plan, length)) {
      const char *nth = plan + length + (plan[length] == ':');
      const char *code = nth + strcspn(nth, ":");
      if (++name_calls == (*nth ? atol(nth) : 1))
        error = *code ? atoi(code + 1) : UNKNOWN;
    }
  }
  pthread_mutex_unlock(&lock);
  if (error)
    note("%s fails with %d", name, error);
  return error;
}

void count_objects(long objects) {
  pthread_mutex_lock(&lock);
  live_objects += objects;
  pthread_mutex_unlock(&lock);
}

// Stand-ins of libraries that work on streams call these (cublaslt.c).

int weir_cuda_planned(const char *name) { return planned(name); }

void weir_cuda_note(const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  note("%s", text);
}

void weir_cuda_count(long objects) { count_objects(objects); }

int weir_cuda_issue(stream *on, void (*callback)(void *), const void *data,
                    size_t bytes) {
  node work = {.kind = CALLBACK,
               .callback = callback,
               .arg_bytes = (char *)(uintptr_t)data,
               .count = bytes};
  return issue(on, &work);
}

// The resources that a program has not released.
__attribute__((destructor)) static void end(void) {
  note("end: %ld calls, %ld blocks and %ld handles left", calls, blocks_left(),
       live_objects);
}

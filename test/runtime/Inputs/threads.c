/* Tests the threads of the runtime alone: each work item runs once, in chunks
 * with different slots at any time. The pool is the runtime's, the caller's, or
 * none in a forked child. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 1000 };
static int failures;

static atomic_int asked; /* for the number of the process */
pid_t __real_getpid(void);
pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void) {
  ++asked;
  return __real_getpid();
}

static void check(int good, const char *what, long n) {
  if (!good)
    ++failures, printf("%s: %ld\n", what, n);
}

struct job {
  int seen[most];          /* plain: a work item run twice at once is a race */
  atomic_int holder[64];   /* of each slot */
  atomic_int parts, wrong; /* how many ran; whether two shared a slot */
  int64_t slots;
};

static void part(void *data, int64_t first, int64_t last, int64_t slot) {
  struct job *job = data;
  if (atomic_exchange(&job->holder[slot], 1) || slot >= job->slots)
    atomic_store(&job->wrong, 1);
  for (int64_t i = first; i < last; ++i)
    ++job->seen[i];
  atomic_fetch_add(&job->parts, 1);
  atomic_store(&job->holder[slot], 0);
}

static void region(const weir_team *team, int64_t count, int64_t slots,
                   int64_t each) {
  static struct job job;
  memset(&job, 0, sizeof job);
  job.slots = slots ? slots : team->threads.n > 1 ? team->threads.n : 1;
  weir_parallel(team, count, slots, each, part, &job);
  for (int64_t i = 0; i < most; ++i)
    check(job.seen[i] == (i < count), "grain", i);
  check(!job.wrong, "slots of", count);
  check(job.parts <= (slots ? slots : job.slots) * each, "parts of", count);
}

static void regions(const weir_team *team, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    region(team, 1 + i % most, 0, 4);
    region(team, 1 + i * 7 % most, i % 3, 1);
    if (i % 97 == 0) { /* long enough for the threads to fall asleep */
      struct timespec pause = {0, 3000000};
      nanosleep(&pause, NULL);
    }
  }
}

struct call {
  void (*fn)(void *, int);
  void *data;
  int task;
};

static void *call(void *argument) {
  struct call *c = argument;
  c->fn(c->data, c->task);
  return NULL;
}

static void one_thread_each(void *user, int tasks, void (*fn)(void *, int),
                            void *data) {
  pthread_t threads[64];
  struct call calls[64];
  for (int i = 0; i < tasks; ++i) {
    calls[i] = (struct call){fn, data, i};
    pthread_create(&threads[i], NULL, call, &calls[i]);
  }
  for (int i = 0; i < tasks; ++i)
    pthread_join(threads[i], NULL);
  ++*(long *)user;
}

static void in_child(weir_team *team) {
  pid_t child = fork();
  if (!child) {
    regions(team, 50);
    weir_team_destroy(team);
    _exit(failures != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  check(status == 0, "child", status);
}

int main(int argc, char **argv) {
  (void)argv;
  for (int n = 0; n <= 8; ++n) {
    weir_threads wanted = {NULL, n, NULL};
    weir_team team = {0};
    check(weir_team_create(&team, &wanted, 1) == WEIR_OK, "create", n);
    asked = 0;
    regions(&team, 1500);
    if (argc == 1) /* not under a sanitizer of threads: it follows no fork */
      in_child(&team);
    regions(&team, 100);
    check(asked == 0, "calls of getpid", asked);
    weir_team_destroy(&team);
    weir_team_destroy(&team);
  }
  weir_team by_default = {0};
  check(weir_team_create(&by_default, NULL, 3) == WEIR_OK, "by default", 3);
  check(by_default.threads.n == 3, "by default", by_default.threads.n);
  regions(&by_default, 10);
  weir_team_destroy(&by_default);
  long calls = 0;
  weir_threads theirs = {&calls, 3, one_thread_each};
  weir_team team = {0};
  check(weir_team_create(&team, &theirs, 1) == WEIR_OK, "the caller's", 3);
  regions(&team, 100);
  check(calls > 100, "calls of the caller's pool", calls);
  weir_team_destroy(&team);
  printf("%d failures\n", failures);
  return failures != 0;
}

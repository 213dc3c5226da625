/* Workers stay off the processor of the calling thread, also if it moves. */
#define _GNU_SOURCE
#include "runtime/abi.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void part(void *data, int64_t first, int64_t last, int64_t slot) {
  (void)data, (void)first, (void)last, (void)slot;
}

/* Returns the id of the other thread. */
static pid_t worker(void) {
  DIR *tasks = opendir("/proc/self/task");
  pid_t found = 0;
  for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
    pid_t task = atoi(entry->d_name);
    if (task && task != getpid())
      found = task;
  }
  if (tasks)
    closedir(tasks);
  return found;
}

int main(void) {
  cpu_set_t allowed, theirs;
  int failures = sched_getaffinity(0, sizeof allowed, &allowed) != 0;
  weir_threads wanted = {NULL, 2, NULL};
  weir_team team = {0};
  failures += weir_team_create(&team, &wanted, 1) != WEIR_OK;
  int others = CPU_COUNT(&allowed) - 1;
  for (int cpu = 0; cpu < CPU_SETSIZE && others > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    failures += sched_setaffinity(0, sizeof one, &one) != 0;
    weir_parallel(&team, 100, 0, 4, part, NULL);
    failures += sched_getaffinity(worker(), sizeof theirs, &theirs) != 0;
    failures += CPU_ISSET(cpu, &theirs) || CPU_COUNT(&theirs) != others;
  }
  weir_team_destroy(&team);
  printf("%d failures\n", failures);
  return failures != 0;
}

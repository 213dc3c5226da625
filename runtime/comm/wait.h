// Waits for transfers, for each transport.
#ifndef WEIR_RUNTIME_COMM_WAIT_H
#define WEIR_RUNTIME_COMM_WAIT_H

#include <sched.h>
#include <stdint.h>
#include <time.h>

static inline int64_t weir_now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

// Calls `test` of a weir_comm until all transfers are complete: 0. -1: it
// failed; 1: so many milliseconds are over, where these are not 0.
static inline int weir_wait(int (*test)(void *, uint32_t, uint32_t, int *),
                            void *user, uint32_t first, uint32_t count,
                            int32_t timeout_ms) {
  // So many tests take about 50 us while nothing arrives. Then another process
  // may need the processor.
  enum { SPINS = 256 };
  int64_t end = 0;
  for (unsigned i = 1;; ++i) {
    int done = 0;
    if (test(user, first, count, &done))
      return -1;
    if (done)
      return 0;
    if (i % SPINS)
      continue;
    sched_yield();
    int64_t now = weir_now_ms();
    if (!end)
      end = now + timeout_ms;
    else if (timeout_ms && now > end)
      return 1;
  }
}

#endif

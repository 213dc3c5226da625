// Ends training at SIGINT and SIGTERM with what it has reached.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen, pending;
static int is_deferred;

static void note(int number) {
  if (is_deferred)
    pending = number;
  else
    seen = number;
}

void interrupt_watch(void) {
  struct sigaction action = {0};
  action.sa_handler = note;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  const int ends[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    struct sigaction before;
    // Who is started in the background may ignore them.
    if (!sigaction(ends[i], NULL, &before) && before.sa_handler != SIG_IGN)
      sigaction(ends[i], &action, NULL);
  }
}

void interrupt_defer(void) { is_deferred = 1; }

int interrupt_pending(void) { return pending; }

void interrupt_accept(int number) { seen = number; }

int interrupt_seen(void) { return seen; }

void interrupt_end(void) {
  if (!seen)
    return;
  signal(seen, SIG_DFL);
  raise(seen);
}

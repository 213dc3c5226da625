// Ranks that are threads of one process. A receiver publishes that its memory
// is free, and the sender copies there. So neither waits for the other in
// start.

#define _POSIX_C_SOURCE 200809L
#include "runtime/comm/threads.h"
#include "runtime/comm/wait.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The receiver's side of a pair of transfers. Each time that a transfer starts
// has a number, from 1.
typedef struct mailbox {
  void *data;
  uint64_t bytes;
  _Atomic uint64_t posted; // the receive of this number has started
  _Atomic uint64_t taken;  // its sender copies, or has copied
  _Atomic uint64_t filled; // it is complete
} mailbox;

// In `taken`: the receiver has given up, and its memory may be gone.
static const uint64_t never = UINT64_MAX;

typedef struct transfer {
  weir_transfer what;
  mailbox own; // of a receive
  mailbox *to; // of a send; null: no rank receives it
  uint64_t started;
} transfer;

typedef struct rank {
  weir_comm comm;
  weir_comm_threads *all;
  transfer *transfers;
  uint32_t count;
  const void *mine; // of gather
} rank;

struct weir_comm_threads {
  int size;
  _Atomic int arrived;
  _Atomic unsigned round;
  rank ranks[];
};

// Waits for all ranks. 1 where they do not come in time.
static int meet(rank *r) {
  weir_comm_threads *all = r->all;
  unsigned round = atomic_load(&all->round);
  if (atomic_fetch_add(&all->arrived, 1) + 1 == all->size) {
    atomic_store(&all->arrived, 0);
    atomic_fetch_add(&all->round, 1);
    return 0;
  }
  int64_t end = weir_now_ms() + r->comm.timeout_ms;
  while (atomic_load(&all->round) == round) {
    sched_yield();
    if (r->comm.timeout_ms && weir_now_ms() > end)
      return 1;
  }
  return 0;
}

static int gather(void *user, const void *mine, void *all, size_t bytes) {
  rank *r = user;
  r->mine = mine;
  if (meet(r))
    return -1;
  for (int i = 0; i < r->all->size; ++i)
    memcpy((char *)all + (size_t)i * bytes, r->all->ranks[i].mine, bytes);
  return meet(r) ? -1 : 0;
}

// The receive of another rank for this send, which is one of several alike.
static mailbox *find_receive(rank *r, const weir_transfer *send,
                             uint32_t skip) {
  rank *peer = &r->all->ranks[send->peer];
  int mine = (int)(r - r->all->ranks);
  for (uint32_t i = 0; i < peer->count; ++i) {
    transfer *t = &peer->transfers[i];
    if (t->what.send || t->what.peer != mine || t->what.tag != send->tag)
      continue;
    if (skip-- == 0)
      return &t->own;
  }
  return NULL;
}

static int prepare(void *user, const weir_transfer *list, uint32_t count) {
  rank *r = user;
  free(r->transfers);
  r->transfers = calloc((size_t)count + 1, sizeof *r->transfers);
  r->count = r->transfers ? count : 0;
  int bad = !r->transfers;
  for (uint32_t i = 0; i < r->count; ++i) {
    transfer *t = &r->transfers[i];
    t->what = list[i];
    t->own.data = list[i].data;
    t->own.bytes = list[i].bytes;
    bad |= list[i].peer < 0 || list[i].peer >= r->all->size;
  }
  if (meet(r))
    return -1;
  for (uint32_t i = 0; !bad && i < r->count; ++i) {
    transfer *t = &r->transfers[i];
    if (!t->what.send)
      continue;
    uint32_t before = 0;
    for (uint32_t k = 0; k < i; ++k)
      before += list[k].send && list[k].peer == list[i].peer &&
                list[k].tag == list[i].tag;
    t->to = find_receive(r, &t->what, before);
    bad |= t->to && t->to->bytes != t->what.bytes;
  }
  return meet(r) || bad ? -1 : 0;
}

static int start(void *user, uint32_t first, uint32_t count) {
  rank *r = user;
  for (uint32_t i = first; i < first + count; ++i) {
    transfer *t = &r->transfers[i];
    ++t->started;
    if (!t->what.send)
      atomic_store(&t->own.posted, t->started);
  }
  return 0;
}

static int is_done(transfer *t) {
  if (!t->what.send)
    return atomic_load(&t->own.filled) == t->started;
  if (!t->to)
    return 0;
  if (atomic_load(&t->to->filled) == t->started)
    return 1;
  uint64_t before = t->started - 1;
  if (atomic_load(&t->to->posted) != t->started ||
      !atomic_compare_exchange_strong(&t->to->taken, &before, t->started))
    return 0;
  memcpy(t->to->data, t->what.data, t->what.bytes);
  atomic_store(&t->to->filled, t->started);
  return 1;
}

static int test(void *user, uint32_t first, uint32_t count, int *done) {
  rank *r = user;
  *done = 1;
  for (uint32_t i = first; i < first + count; ++i)
    *done &= is_done(&r->transfers[i]);
  return 0;
}

// After this no sender writes to the memory of the receive.
static void give_up(transfer *t) {
  if (t->what.send || !t->started)
    return;
  uint64_t before = t->started - 1;
  if (atomic_compare_exchange_strong(&t->own.taken, &before, never))
    return;
  while (before == t->started && atomic_load(&t->own.filled) != t->started)
    sched_yield();
}

static int wait_for(void *user, uint32_t first, uint32_t count,
                    int32_t timeout_ms) {
  rank *r = user;
  int answer = weir_wait(test, user, first, count, timeout_ms);
  for (uint32_t i = 0; answer && i < r->count; ++i)
    give_up(&r->transfers[i]);
  return answer;
}

weir_comm_threads *weir_comm_threads_create(int ranks, int timeout_ms) {
  if (ranks < 1)
    return NULL;
  weir_comm_threads *all =
      calloc(1, sizeof *all + (size_t)ranks * sizeof *all->ranks);
  if (!all)
    return NULL;
  all->size = ranks;
  for (int i = 0; i < ranks; ++i) {
    rank *r = &all->ranks[i];
    r->all = all;
    r->comm =
        (weir_comm){WEIR_ABI_VERSION, i,     ranks, timeout_ms, r,   gather,
                    prepare,          start, test,  wait_for,   NULL};
  }
  return all;
}

const weir_comm *weir_comm_threads_of(weir_comm_threads *all, int rank) {
  return &all->ranks[rank].comm;
}

void weir_comm_threads_free(weir_comm_threads *all) {
  for (int i = 0; all && i < all->size; ++i)
    free(all->ranks[i].transfers);
  free(all);
}

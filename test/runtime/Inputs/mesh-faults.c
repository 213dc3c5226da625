// A transport with one fault: the n-th transfer of a rank is lost, late,
// damaged, sent twice, or refused. The runs end with a status, and results with
// status 0 are right unless a message was damaged or sent twice.

#include "net.h"

#include "runtime/comm/threads.h"
#include "runtime/comm/wait.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  ROWS = 6,
  COLUMNS = NET_S_ELEMENTS,
  RUNS = 2,
  MOST_RANKS = 8,
  SHORT_MS = 40,
  LONG_MS = 20000,
  NOTHING = -1
};

typedef enum fault {
  NONE,
  DROP,
  DELAY,       // less than the deadline
  LATE,        // more than the deadline
  DAMAGE,      // a bit of the received message is wrong
  DUPLICATE,   // the receiver can get it twice
  FAIL_START,  // the transport reports an error
  FAIL_TEST,   //
  FAIL_GATHER, // in create
  FAIL_PREPARE
} fault;

static const char *const names[] = {
    "none",      "drop",       "delay",     "late",        "damage",
    "duplicate", "fail start", "fail test", "fail gather", "fail prepare"};

// A rank and its transport.
typedef struct rank {
  pthread_t thread;
  weir_comm comm;
  const weir_comm *real;
  uint8_t *sends; // of each transfer, whether it is one
  char **data;
  uint32_t count;
  fault fault; // NONE for all ranks but one
  int at;      // which transfer, from 1
  int seen;    // so many have started
  int held;    // the transfer with the fault; NOTHING before it starts
  int64_t until;
  int is_late; // the transfer waits for `until`
  weir_status status;
  int is_wrong;
} rank;

static int size;
static float *whole, *sum, *prefix;

static int gather(void *user, const void *mine, void *all, size_t bytes) {
  rank *r = user;
  int answer = r->real->gather(r->real->user, mine, all, bytes);
  return r->fault == FAIL_GATHER ? -1 : answer;
}

static int prepare(void *user, const weir_transfer *list, uint32_t count) {
  rank *r = user;
  r->sends = calloc(count + 1, 1);
  r->data = calloc(count + 1, sizeof *r->data);
  r->count = count;
  for (uint32_t i = 0; i < count; ++i) {
    r->sends[i] = (uint8_t)list[i].send;
    r->data[i] = list[i].data;
  }
  int answer = r->real->prepare(r->real->user, list, count);
  return r->fault == FAIL_PREPARE ? -1 : answer;
}

static int start_one(rank *r, uint32_t i) {
  int counts = r->fault == DAMAGE ? !r->sends[i] : r->sends[i];
  if (counts && ++r->seen == r->at) {
    r->held = (int)i;
    if (r->fault == DROP)
      return 0;
    if (r->fault == FAIL_START)
      return -1;
    if (r->fault == DELAY || r->fault == LATE) {
      r->until = weir_now_ms() + (r->fault == LATE ? 3 * SHORT_MS : 5);
      r->is_late = 1;
      return 0;
    }
  }
  return r->real->start(r->real->user, i, 1);
}

// After a failure the real transport gives up all transfers: one that it waits
// for in vain is enough.
static int give_up(rank *r, int answer) {
  for (uint32_t i = 0; answer && i < r->count; ++i)
    if (r->real->wait(r->real->user, i, 1, 1))
      break;
  return answer;
}

static int start(void *user, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i)
    if (start_one(user, i))
      return give_up(user, -1);
  return 0;
}

static int test_one(rank *r, uint32_t i, int *done) {
  int is_held = r->held == (int)i;
  if (is_held && r->fault == DROP) {
    *done = 1; // The sender does not see that it is lost.
    return 0;
  }
  if (is_held && r->fault == FAIL_TEST)
    return -1;
  if (is_held && r->is_late) {
    *done = 0;
    if (weir_now_ms() < r->until)
      return 0;
    r->is_late = 0;
    if (r->real->start(r->real->user, i, 1))
      return -1;
  }
  if (r->real->test(r->real->user, i, 1, done))
    return -1;
  if (!is_held || !*done)
    return 0;
  if (r->fault == DAMAGE)
    *r->data[i] ^= 0x10;
  if (r->fault == DUPLICATE && r->real->start(r->real->user, i, 1))
    return -1;
  r->held = NOTHING;
  return 0;
}

static int test(void *user, uint32_t first, uint32_t count, int *done) {
  *done = 1;
  for (uint32_t i = first; i < first + count; ++i) {
    int one = 0;
    if (test_one(user, i, &one))
      return give_up(user, -1);
    *done &= one;
  }
  return 0;
}

static int wait_for(void *user, uint32_t first, uint32_t count,
                    int32_t timeout_ms) {
  return give_up(user, weir_wait(test, user, first, count, timeout_ms));
}

static void *run_rank(void *argument) {
  rank *r = argument;
  weir_config config = WEIR_CONFIG_INIT;
  config.comm = &r->comm;
  net_ctx *context = NULL;
  r->status = net_create(NULL, &config, &context);
  float *s = malloc(NET_S_BYTES), *c = malloc(NET_C_BYTES);
  const float *x = whole + (size_t)r->comm.rank * NET_X_ELEMENTS;
  for (int i = 0; i < RUNS && !r->status; ++i) {
    r->status = net_run(context, x, s, c);
    if (!r->status)
      r->is_wrong |=
          memcmp(s, sum, NET_S_BYTES) || memcmp(c, prefix, NET_C_BYTES);
  }
  free(s);
  free(c);
  net_destroy(context);
  return NULL;
}

typedef enum outcome { CAME, PASSED, TOO_SLOW } outcome;

// Executes all ranks with a fault of one of them. A run passes if it ends
// before the fault. On a busy machine it can be too slow for the deadline.
static outcome execute(fault what, int of, int at, int *failures) {
  int is_short = what != NONE && what != DELAY;
  weir_comm_threads *all =
      weir_comm_threads_create(size, is_short ? SHORT_MS : LONG_MS);
  rank ranks[MOST_RANKS];
  memset(ranks, 0, sizeof ranks);
  for (int i = 0; i < size; ++i) {
    rank *r = &ranks[i];
    r->real = weir_comm_threads_of(all, i);
    r->comm = *r->real;
    r->comm.user = r;
    r->comm.gather = gather;
    r->comm.prepare = prepare;
    r->comm.start = start;
    r->comm.test = test;
    r->comm.wait = wait_for;
    r->fault = i == of ? what : NONE;
    r->at = at;
    r->held = NOTHING;
  }
  for (int i = 0; i < size; ++i)
    pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]);
  int came = what >= FAIL_GATHER, has_failed = 0;
  int spoils = what == DAMAGE || what == DUPLICATE;
  for (int i = 0; i < size; ++i)
    pthread_join(ranks[i].thread, NULL);
  came |= ranks[of].seen >= at;
  for (int i = 0; i < size; ++i) {
    rank *r = &ranks[i];
    has_failed |= r->status != WEIR_OK;
    int is_bad = r->status && r->status != WEIR_ERR_PEER;
    is_bad |= r->is_wrong && !spoils;
    is_bad |= r->status && !is_short;
    is_bad |= came && what >= FAIL_START && i == of && !r->status;
    if (is_bad) {
      ++*failures;
      printf("%s of transfer %d of rank %d: rank %d: status %d%s\n",
             names[what], at, of, i, r->status,
             r->is_wrong ? ", a wrong result" : "");
    }
    free(r->sends);
    free(r->data);
  }
  weir_comm_threads_free(all);
  return came ? CAME : has_failed ? TOO_SLOW : PASSED;
}

// All transfers of the rank, one after the other. The number of faults.
static int inject(fault what, int of, int *failures) {
  int faults = 0, tries = 20;
  for (int at = 1; tries > 0;) {
    outcome how = execute(what, of, at, failures);
    if (how == PASSED)
      break;
    tries -= how == TOO_SLOW;
    faults += how == CAME;
    at += how == CAME;
    if (what >= FAIL_GATHER)
      break;
  }
  return faults;
}

int main(void) {
  alarm(300); // A hang ends the test.
  size = (int)net_mesh()->ranks;
  whole = malloc(sizeof(float) * ROWS * COLUMNS);
  prefix = malloc(sizeof(float) * ROWS * COLUMNS);
  sum = calloc(COLUMNS, sizeof(float));
  for (int row = 0; row < ROWS; ++row)
    for (int i = 0; i < COLUMNS; ++i) {
      whole[row * COLUMNS + i] = (float)(i % 97 + row);
      sum[i] += whole[row * COLUMNS + i];
      prefix[row * COLUMNS + i] = sum[i];
    }
  int failures = 0, faults = 0;
  execute(NONE, 0, 0, &failures);
  for (int what = DROP; what <= FAIL_PREPARE; ++what)
    for (int of = 0; of < size; of += size - 1)
      faults += inject((fault)what, of, &failures);
  printf("%d faults, %d failures\n", faults, failures);
  free(whole);
  free(prefix);
  free(sum);
  return failures != 0;
}

// Ranks that are processes of MPI. Transfers are persistent requests: MPI
// allocates in prepare, and nothing in start, test and wait.

#define _POSIX_C_SOURCE 200809L
#include "runtime/comm/mpi.h"
#include "runtime/comm/wait.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// What a request is. The memory of a receive that waits may be written to.
enum { SEND, IDLE, WAITS };

typedef struct transport {
  MPI_Comm communicator;
  MPI_Request *requests;
  char *states; // of the requests
  uint32_t count;
  int timeout_ms;
  int gave_up; // requests are canceled, and count as incomplete
} transport;

static void release(transport *t) {
  for (uint32_t i = 0; i < t->count; ++i)
    MPI_Request_free(&t->requests[i]);
  free(t->requests);
  free(t->states);
  t->requests = NULL;
  t->states = NULL;
  t->count = 0;
}

// Waits for a request that is not persistent.
static int finish(transport *t, MPI_Request *request) {
  int64_t end = weir_now_ms() + t->timeout_ms;
  for (;;) {
    int done = 0;
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return -1;
    if (done)
      return 0;
    if (t->timeout_ms && weir_now_ms() > end)
      return 1;
    sched_yield();
  }
}

static int gather(void *user, const void *mine, void *all, size_t bytes) {
  transport *t = user;
  MPI_Request request;
  if (bytes > INT_MAX ||
      MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                     t->communicator, &request) != MPI_SUCCESS)
    return -1;
  return finish(t, &request) ? -1 : 0;
}

static int prepare(void *user, const weir_transfer *list, uint32_t count) {
  transport *t = user;
  release(t);
  t->requests = malloc((size_t)(count + 1) * sizeof *t->requests);
  t->states = malloc((size_t)count + 1);
  if (!t->requests || !t->states)
    return -1;
  for (uint32_t i = 0; i < count; ++i) {
    const weir_transfer *one = &list[i];
    int code = MPI_ERR_COUNT;
    if (one->bytes <= INT_MAX && one->send)
      code = MPI_Send_init(one->data, (int)one->bytes, MPI_BYTE, one->peer,
                           one->tag, t->communicator, &t->requests[i]);
    else if (one->bytes <= INT_MAX)
      code = MPI_Recv_init(one->data, (int)one->bytes, MPI_BYTE, one->peer,
                           one->tag, t->communicator, &t->requests[i]);
    if (code != MPI_SUCCESS)
      return -1;
    t->states[i] = one->send ? SEND : IDLE;
    t->count = i + 1;
  }
  return 0;
}

static void set_receives(transport *t, uint32_t first, uint32_t count,
                         char state) {
  for (uint32_t i = first; i < first + count; ++i)
    if (t->states[i] != SEND)
      t->states[i] = state;
}

// After this MPI writes to the memory of no receive.
static int give_up(transport *t) {
  for (uint32_t i = 0; !t->gave_up && i < t->count; ++i)
    if (t->states[i] == WAITS)
      MPI_Cancel(&t->requests[i]);
  t->gave_up = 1;
  return -1;
}

static int start(void *user, uint32_t first, uint32_t count) {
  transport *t = user;
  set_receives(t, first, count, WAITS);
  return MPI_Startall((int)count, t->requests + first) == MPI_SUCCESS
             ? 0
             : give_up(t);
}

// GCC takes the MPI_STATUSES_IGNORE of MPICH, the address 1, for an array.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
static int test(void *user, uint32_t first, uint32_t count, int *done) {
  transport *t = user;
  *done = 0;
  if (t->gave_up)
    return 0;
  if (MPI_Testall((int)count, t->requests + first, done, MPI_STATUSES_IGNORE) !=
      MPI_SUCCESS)
    return give_up(t);
  if (*done)
    set_receives(t, first, count, IDLE);
  return 0;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

static int wait_for(void *user, uint32_t first, uint32_t count,
                    int32_t timeout_ms) {
  transport *t = user;
  int answer = weir_wait(test, user, first, count, timeout_ms);
  if (answer)
    give_up(t);
  return answer;
}

static void abort_all(void *user, const char *why) {
  transport *t = user;
  if (why && *why)
    fprintf(stderr, "%s\n", why);
  // MPICH's waits for messages to a rank that may have stopped. Then the alarm
  // ends this process, and the launcher the others.
  signal(SIGALRM, SIG_DFL);
  alarm(1);
  MPI_Abort(t->communicator, 1);
}

int weir_comm_mpi_create(MPI_Comm communicator, int timeout_ms,
                         weir_comm *out) {
  transport *t = calloc(1, sizeof *t);
  if (!t)
    return MPI_ERR_NO_MEM;
  t->timeout_ms = timeout_ms;
  int code = MPI_Comm_dup(communicator, &t->communicator);
  if (code != MPI_SUCCESS) {
    free(t);
    return code;
  }
  MPI_Comm_set_errhandler(t->communicator, MPI_ERRORS_RETURN);
  *out =
      (weir_comm){WEIR_ABI_VERSION, 0,     0,    timeout_ms, t,        gather,
                  prepare,          start, test, wait_for,   abort_all};
  MPI_Comm_rank(t->communicator, &out->rank);
  MPI_Comm_size(t->communicator, &out->size);
  return MPI_SUCCESS;
}

void weir_comm_mpi_free(weir_comm *comm) {
  transport *t = comm->user;
  if (!t)
    return;
  release(t);
  MPI_Comm_free(&t->communicator);
  free(t);
  comm->user = NULL;
}

// Exchanges tensors with the other ranks of a mesh. Several all-reduces may be
// in the air while kernels run. No thread looks after them: the program calls
// weir_continue_exchanges between kernels.

#include "runtime/comm/combine.h"
#include "runtime/comm/ranks.h"
#include "runtime/digits.h"
#include "runtime/libc.h"

const size_t weir_ranks_bytes = sizeof(weir_ranks);

// What a call of an entry works on.
typedef struct exchange {
  const weir_team *team;
  weir_context *context;
  const weir_mesh *mesh;
  weir_ranks *ranks;
  const weir_comm *comm;
  uint32_t *next; // step of each collective
  uint32_t *in_air;
} exchange;

// An entry has only the address of the context's team.
static exchange exchange_of(const weir_team *team) {
  weir_context *context =
      (weir_context *)((char *)team - offsetof(weir_context, team));
  const weir_mesh *mesh = weir_mesh_of(context);
  weir_ranks *ranks = weir_ranks_in(context);
  return (exchange){team,
                    context,
                    mesh,
                    ranks,
                    ranks->comm,
                    weir_next_steps(mesh, ranks),
                    weir_in_air(mesh, ranks)};
}

static const weir_step *step_of(const exchange *x, uint32_t number) {
  return &weir_steps_in(x->mesh, x->ranks)[x->next[number]];
}

static int has_step(const exchange *x, uint32_t number) {
  return x->next[number] < x->ranks->first[number + 1];
}

// The transfer with which the wait has failed: the first that is not complete.
static int32_t missing_peer(const exchange *x, uint32_t number) {
  weir_move moves[128];
  weir_steps list = {NULL, moves, 0, 0};
  const weir_collective *c = &x->mesh->collectives[number];
  const weir_step *step = step_of(x, number);
  weir_group group = weir_group_in(x->mesh, c, x->comm->rank);
  uint32_t before = 0; // whose part this rank receives from a ring of all
  if (c->kind == WEIR_ALL_GATHER)
    before = 1;
  else if (c->kind == WEIR_REDUCE_SCATTER && group.size & (group.size - 1))
    before = x->next[number] - x->ranks->first[number] + 1;
  if (before)
    return weir_peer(&group, (group.index + group.size - before) % group.size);
  if (c->kind == WEIR_SEND || c->kind == WEIR_RECV) {
    // As many as a job has tasks: more than the list has room for.
    uint32_t i = 0;
    for (int done = 1; i + 1 < step->count; ++i)
      if (x->comm->test(x->comm->user, step->first + i, 1, &done) || !done)
        break;
    return c->peer + (int32_t)i;
  }
  weir_add_steps(c, &group, c->key, &list);
  uint32_t base =
      weir_steps_in(x->mesh, x->ranks)[x->ranks->first[number]].first;
  for (uint32_t i = 0; i < step->count; ++i) {
    int done = 0;
    if (x->comm->test(x->comm->user, step->first + i, 1, &done) || !done)
      return moves[step->first + i - base].peer;
  }
  return moves[step->first - base].peer;
}

// Ends the run. The entry then answers -1, and weir_mesh_run what is kept here.
static int32_t end_run(weir_ranks *ranks, weir_status status,
                       const char *const *parts) {
  weir_join(ranks->message, sizeof ranks->message, parts);
  ranks->status = status;
  return 1;
}
#define END_RUN(ranks, status, ...)                                            \
  end_run(ranks, status, (const char *const[]){__VA_ARGS__, NULL})

static int32_t fail_exchange(const exchange *x, uint32_t number, int answer) {
  char peer[WEIR_DIGITS], ms[WEIR_DIGITS];
  const char *node = x->mesh->collectives[number].node;
  const char *rank = weir_digits(missing_peer(x, number), peer);
  x->ranks->broken = 1;
  // The transport gives up the memory of all transfers.
  const weir_step *step = step_of(x, number);
  if (answer > 0)
    x->comm->wait(x->comm->user, step->first, step->count, /*timeout_ms=*/1);
  if (answer > 0)
    return END_RUN(x->ranks, WEIR_ERR_PEER, "node '", node,
                   "': nothing from rank ", rank, " for ",
                   weir_digits(x->comm->timeout_ms, ms), " ms");
  return END_RUN(x->ranks, WEIR_ERR_PEER, "node '", node,
                 "': the transport to rank ", rank, " has failed");
}

// Starts the transfers of the next step, if there is one.
static int32_t start_step(const exchange *x, uint32_t number) {
  if (!has_step(x, number))
    return 0;
  const weir_step *step = step_of(x, number);
  if (x->comm->start(x->comm->user, step->first, step->count))
    return fail_exchange(x, number, -1);
  return 0;
}

// After the transfers of a step.
static int32_t finish_step(const exchange *x, uint32_t number) {
  const weir_step *step = step_of(x, number);
  const weir_collective *c = &x->mesh->collectives[number];
  char *arena = (char *)x->context->arena;
  if (step->elements)
    weir_combine(x->team, c, arena + c->data + step->at * c->element_bytes,
                 arena + c->scratch, step->elements);
  ++x->next[number];
  return start_step(x, number);
}

// Finishes the steps whose transfers are complete.
static int32_t advance(const exchange *x, uint32_t number) {
  while (has_step(x, number)) {
    const weir_step *step = step_of(x, number);
    int done = 0;
    if (x->comm->test(x->comm->user, step->first, step->count, &done))
      return fail_exchange(x, number, -1);
    if (!done)
      return 0;
    if (finish_step(x, number))
      return 1;
  }
  return 0;
}

static int32_t advance_all(const exchange *x) {
  for (uint32_t i = 0; i < x->ranks->in_air; ++i)
    if (advance(x, x->in_air[i]))
      return 1;
  return 0;
}

static int64_t now_ms(void) {
  weir_timespec at;
  clock_gettime(CLOCK_MONOTONIC_, &at);
  return at.seconds * 1000 + at.nanoseconds / 1000000;
}

// Waits for the transfers of a step. Other collectives go on meanwhile.
static int32_t wait_for_step(const exchange *x, uint32_t number) {
  // So many tests take about 50 us, as in wait.h.
  enum { SPINS = 256 };
  const weir_step *step = step_of(x, number);
  int64_t end = 0;
  for (uint32_t tests = 0;;) {
    if (advance_all(x))
      return 1;
    if (!has_step(x, number) || step_of(x, number) != step)
      return 0;
    tests += x->ranks->in_air;
    if (tests < SPINS)
      continue;
    tests = 0;
    sched_yield();
    int64_t now = now_ms(), limit = x->comm->timeout_ms;
    if (!end)
      end = now + limit;
    else if (limit && now > end)
      return fail_exchange(x, number, 1);
  }
}

int32_t weir_begin_exchange(const weir_team *team, uint32_t number) {
  exchange x = exchange_of(team);
  x.next[number] = x.ranks->first[number];
  x.in_air[x.ranks->in_air++] = number;
  return start_step(&x, number);
}

int32_t weir_continue_exchanges(const weir_team *team) {
  exchange x = exchange_of(team);
  return advance_all(&x);
}

int32_t weir_end_exchange(const weir_team *team, uint32_t number) {
  exchange x = exchange_of(team);
  while (has_step(&x, number)) {
    if (x.ranks->in_air > 1) {
      if (wait_for_step(&x, number))
        return 1;
      continue;
    }
    const weir_step *step = step_of(&x, number);
    int answer = x.comm->wait(x.comm->user, step->first, step->count,
                              x.comm->timeout_ms);
    if (answer)
      return fail_exchange(&x, number, answer);
    if (finish_step(&x, number))
      return 1;
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < x.ranks->in_air; ++i)
    if (x.in_air[i] != number)
      x.in_air[kept++] = x.in_air[i];
  x.ranks->in_air = kept;
  return 0;
}

int32_t weir_exchange(const weir_team *team, uint32_t number, void *first,
                      void *second) {
  exchange x = exchange_of(team);
  const weir_collective *c = &x.mesh->collectives[number];
  weir_group group = weir_group_in(x.mesh, c, x.comm->rank);
  int64_t bytes = (int64_t)(c->elements * c->element_bytes);
  if (c->kind == WEIR_OWN_PART) {
    weir_copy(team, second, (const char *)first + group.index * bytes, bytes);
    return 0;
  }
  if (c->kind == WEIR_ALL_GATHER)
    weir_copy(team, (char *)second + group.index * bytes, first, bytes);
  return weir_begin_exchange(team, number) || weir_end_exchange(team, number);
}

int32_t weir_agree(const weir_team *team, uint32_t number, int32_t failed) {
  exchange x = exchange_of(team);
  int64_t *worst =
      (int64_t *)((char *)x.context->arena + x.mesh->collectives[number].data);
  // The largest: of the ranks with a failure the last, with its check.
  *worst = failed > 0 ? ((int64_t)(x.comm->rank + 1) << 32) | failed : 0;
  if (weir_exchange(team, number, worst, NULL))
    return 1;
  if (!*worst)
    return 0;
  int32_t rank = (int32_t)(*worst >> 32) - 1;
  uint64_t check = (uint64_t)(*worst & INT32_MAX) - 1;
  // All ranks end here. Nothing stays in the air, or the next run could not
  // begin it.
  while (x.ranks->in_air)
    if (weir_end_exchange(team, x.in_air[0]))
      return 1;
  char text[WEIR_DIGITS];
  const weir_mesh_info *info = x.mesh->info;
  const char *what = "an unnamed check failed";
  // Each program of a cluster has checks of its own.
  if ((uint32_t)rank - info->first >= info->count)
    what = "a check of its program failed";
  else if (check < x.context->model->num_checks)
    what = x.context->model->checks[check];
  return END_RUN(x.ranks, WEIR_ERR_CHECK, "rank ", weir_digits(rank, text),
                 ": ", what);
}

// Exchanges tensors with the other ranks of a mesh. Only libraries that are
// compiled with --mesh have this code.

#include "runtime/comm/mesh.h"
#include "runtime/call.h"
#include "runtime/comm/combine.h"
#include "runtime/context.h"
#include "runtime/digits.h"

const size_t weir_ranks_bytes = sizeof(weir_ranks);

// An entry has only the address of the context's team.
static weir_context *context_of(const weir_team *team) {
  return (weir_context *)((char *)team - offsetof(weir_context, team));
}

static weir_step *steps_of(const weir_mesh *mesh, weir_ranks *ranks) {
  uint64_t words = mesh->num_collectives + 1;
  return (weir_step *)(ranks->first + (words + 1) / 2 * 2);
}

static weir_group group_of(const weir_mesh *mesh, const weir_collective *c,
                           int32_t rank) {
  return weir_group_of(mesh->info->num_axes, mesh->info->sizes, c->axes, rank);
}

// The transfer with which the wait has failed: the first that is not complete.
static int32_t missing_peer(const weir_comm *comm, const weir_mesh *mesh,
                            const weir_ranks *ranks, uint32_t number,
                            const weir_step *step) {
  weir_move moves[128];
  weir_steps list = {NULL, moves, 0, 0};
  const weir_collective *c = &mesh->collectives[number];
  weir_group group = group_of(mesh, c, comm->rank);
  if (c->kind == WEIR_ALL_GATHER) // a ring: the rank before this one
    return weir_peer(&group, (group.index + group.size - 1) % group.size);
  weir_add_steps(c, &group, number, &list);
  uint32_t base =
      steps_of(mesh, (weir_ranks *)ranks)[ranks->first[number]].first;
  for (uint32_t i = 0; i < step->count; ++i) {
    int done = 0;
    if (comm->test(comm->user, step->first + i, 1, &done) || !done)
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

static int32_t fail_exchange(weir_context *context, uint32_t number,
                             const weir_step *step, int answer) {
  const weir_mesh *mesh = weir_mesh_of(context);
  weir_ranks *ranks = weir_ranks_in(context);
  char peer[WEIR_DIGITS], ms[WEIR_DIGITS];
  const char *node = mesh->collectives[number].node;
  const char *rank =
      weir_digits(missing_peer(ranks->comm, mesh, ranks, number, step), peer);
  ranks->broken = 1;
  if (answer > 0)
    return END_RUN(ranks, WEIR_ERR_PEER, "node '", node,
                   "': nothing from rank ", rank, " for ",
                   weir_digits(ranks->comm->timeout_ms, ms), " ms");
  return END_RUN(ranks, WEIR_ERR_PEER, "node '", node,
                 "': the transport to rank ", rank, " has failed");
}

int32_t weir_exchange(const weir_team *team, uint32_t number, void *first,
                      void *second) {
  weir_context *context = context_of(team);
  const weir_mesh *mesh = weir_mesh_of(context);
  weir_ranks *ranks = weir_ranks_in(context);
  const weir_comm *comm = ranks->comm;
  const weir_collective *c = &mesh->collectives[number];
  weir_group group = group_of(mesh, c, comm->rank);
  int64_t bytes = (int64_t)(c->elements * c->element_bytes);
  if (c->kind == WEIR_OWN_PART) {
    weir_copy(team, second, (const char *)first + group.index * bytes, bytes);
    return 0;
  }
  if (c->kind == WEIR_ALL_GATHER)
    weir_copy(team, (char *)second + group.index * bytes, first, bytes);
  char *data = (char *)context->arena + c->data;
  const weir_step *steps = steps_of(mesh, ranks);
  for (uint32_t i = ranks->first[number]; i < ranks->first[number + 1]; ++i) {
    const weir_step *step = &steps[i];
    int answer = comm->start(comm->user, step->first, step->count) ? -1 : 0;
    if (!answer)
      answer =
          comm->wait(comm->user, step->first, step->count, comm->timeout_ms);
    if (answer)
      return fail_exchange(context, number, step, answer);
    if (step->elements)
      weir_combine(team, c, data + step->at * c->element_bytes,
                   (char *)context->arena + c->scratch, step->elements);
  }
  return 0;
}

int32_t weir_agree(const weir_team *team, uint32_t number, int32_t failed) {
  weir_context *context = context_of(team);
  const weir_mesh *mesh = weir_mesh_of(context);
  weir_ranks *ranks = weir_ranks_in(context);
  int64_t *worst =
      (int64_t *)((char *)context->arena + mesh->collectives[number].data);
  // The largest: of the ranks with a failure the last, with its check.
  *worst = failed > 0 ? ((int64_t)(ranks->comm->rank + 1) << 32) | failed : 0;
  if (weir_exchange(team, number, worst, NULL))
    return 1;
  if (!*worst)
    return 0;
  int32_t rank = (int32_t)(*worst >> 32) - 1;
  uint64_t check = (uint64_t)(*worst & INT32_MAX) - 1;
  char text[WEIR_DIGITS];
  return END_RUN(ranks, WEIR_ERR_CHECK, "rank ", weir_digits(rank, text), ": ",
                 check < context->model->num_checks
                     ? context->model->checks[check]
                     : "an unnamed check failed");
}

// What create compares with the other ranks.
typedef struct identity {
  uint64_t fingerprint;
  uint32_t abi_version;
  int32_t rank;
} identity;

static weir_status compare_ranks(const weir_mesh *mesh, const weir_comm *comm,
                                 weir_context *context) {
  const weir_mesh_info *info = mesh->info;
  identity mine = {mesh->fingerprint, WEIR_ABI_VERSION, comm->rank};
  size_t bytes =
      (sizeof mine * info->ranks + WEIR_ALIGN - 1) / WEIR_ALIGN * WEIR_ALIGN;
  identity *all = aligned_alloc(WEIR_ALIGN, bytes);
  if (!all)
    return WEIR_ERR_MEMORY;
  weir_status status = WEIR_OK;
  char rank[WEIR_DIGITS], theirs[WEIR_DIGITS], ours[WEIR_DIGITS];
  if (comm->gather(comm->user, &mine, all, sizeof mine))
    status = WEIR_FAIL(context, WEIR_ERR_PEER,
                       "the ranks could not compare their programs");
  for (uint32_t i = 0; !status && i < info->ranks; ++i) {
    if (all[i].rank != (int32_t)i)
      status = WEIR_FAIL(context, WEIR_ERR_RANKS, "two ranks have the number ",
                         weir_digits(all[i].rank, rank));
    else if (all[i].fingerprint != all[0].fingerprint ||
             all[i].abi_version != all[0].abi_version)
      status = WEIR_FAIL(
          context, WEIR_ERR_RANKS, "rank ", weir_digits((int64_t)i, rank),
          " has program ", weir_hex_digits(all[i].fingerprint, theirs),
          ", rank 0 has ", weir_hex_digits(all[0].fingerprint, ours));
  }
  free(all);
  return status;
}

static weir_status check_comm(const weir_mesh *mesh, const weir_comm *comm,
                              weir_context *context) {
  char wanted[WEIR_DIGITS], got[WEIR_DIGITS];
  const char *ranks = weir_digits(mesh->info->ranks, wanted);
  if (!comm)
    return WEIR_FAIL(context, WEIR_ERR_RANKS, "compiled for ", ranks,
                     " ranks (", mesh->text, "), and config.comm is null");
  if (comm->abi_version != WEIR_ABI_VERSION)
    return WEIR_FAIL(context, WEIR_ERR_VERSION,
                     "config.comm is of another version");
  if (comm->size != (int32_t)mesh->info->ranks)
    return WEIR_FAIL(context, WEIR_ERR_RANKS, "compiled for ", ranks,
                     " ranks (", mesh->text, "), started with ",
                     weir_digits(comm->size, got));
  if (comm->rank < 0 || comm->rank >= comm->size)
    return WEIR_FAIL(context, WEIR_ERR_RANKS, "there is no rank ",
                     weir_digits(comm->rank, got), " of ", ranks);
  if (!comm->gather || !comm->prepare || !comm->start || !comm->test ||
      !comm->wait)
    return WEIR_FAIL(context, WEIR_ERR_NULL,
                     "a function of config.comm is null");
  return WEIR_OK;
}

// Makes this rank's steps and announces its transfers.
static weir_status prepare(const weir_mesh *mesh, weir_context *context) {
  weir_ranks *ranks = weir_ranks_in(context);
  size_t moves_bytes = (size_t)mesh->num_transfers * sizeof(weir_move);
  size_t bytes = moves_bytes +
                 (size_t)mesh->num_transfers * sizeof(weir_transfer) +
                 2 * WEIR_ALIGN;
  char *memory = aligned_alloc(WEIR_ALIGN, (bytes + WEIR_ALIGN - 1) /
                                               WEIR_ALIGN * WEIR_ALIGN);
  if (!memory)
    return WEIR_ERR_MEMORY;
  weir_steps list = {steps_of(mesh, ranks), (weir_move *)memory, 0, 0};
  weir_transfer *transfers =
      (weir_transfer *)(memory + (moves_bytes + WEIR_ALIGN - 1) / WEIR_ALIGN *
                                     WEIR_ALIGN);
  uint32_t made = 0;
  for (uint32_t i = 0; i < mesh->num_collectives; ++i) {
    const weir_collective *c = &mesh->collectives[i];
    weir_group group = group_of(mesh, c, ranks->comm->rank);
    ranks->first[i] = list.num_steps;
    weir_add_steps(c, &group, i, &list);
    for (; made < list.num_moves; ++made) {
      const weir_move *move = &list.moves[made];
      uint64_t base = move->to_scratch ? c->scratch : c->data;
      transfers[made] =
          (weir_transfer){(char *)context->arena + base + move->offset,
                          move->bytes,
                          move->peer,
                          move->tag,
                          move->send,
                          0};
    }
  }
  ranks->first[mesh->num_collectives] = list.num_steps;
  int failed = ranks->comm->prepare(ranks->comm->user, transfers, made);
  free(memory);
  if (failed)
    return WEIR_FAIL(context, WEIR_ERR_PEER,
                     "the transport could not prepare its transfers");
  return WEIR_OK;
}

weir_status weir_mesh_create(const weir_mesh_model *model, void *memory,
                             const weir_config *config, weir_context **out) {
  weir_status status = weir_model_create(&model->model, memory, config, out);
  if (status)
    return status;
  weir_context *context = *out;
  const weir_comm *comm = config ? config->comm : NULL;
  weir_ranks *ranks = weir_ranks_in(context);
  ranks->comm = comm;
  ranks->status = WEIR_OK;
  ranks->broken = 0;
  status = check_comm(model->mesh, comm, context);
  if (!status)
    status = compare_ranks(model->mesh, comm, context);
  if (!status)
    status = prepare(model->mesh, context);
  if (!status)
    return WEIR_OK;
  weir_tell(config,
            *context->message ? context->message : weir_status_text(status));
  weir_model_destroy(&model->model, context);
  *out = NULL;
  return status;
}

weir_status weir_mesh_run(const weir_mesh_model *model, weir_context *context,
                          uint32_t function, void *const *tensors,
                          uint32_t num_tensors) {
  if (!context)
    return WEIR_ERR_NULL;
  if (!weir_context_alive(&model->model, context))
    return WEIR_ERR_CONTEXT;
  weir_ranks *ranks = weir_ranks_in(context);
  weir_status status = weir_begin_call(context);
  if (status)
    return status;
  if (!ranks->broken) {
    ranks->status = WEIR_OK;
    weir_end_call(context, WEIR_OK);
    status =
        weir_model_run(&model->model, context, function, tensors, num_tensors);
    if (status != WEIR_ERR_CHECK || !ranks->status || weir_begin_call(context))
      return status;
  }
  return weir_end_call(context,
                       WEIR_FAIL(context, ranks->status, ranks->message));
}

// Creates and runs contexts of libraries for several ranks. Only libraries that
// are compiled with --mesh have this code.

#include "runtime/call.h"
#include "runtime/comm/ranks.h"
#include "runtime/digits.h"

// Writes where the rank's own weights are. Each run does: the caller may use
// the arena for something else between runs.
static void find_own_weights(weir_context *context) {
  const weir_mesh *mesh = weir_mesh_of(context);
  const char **table = (const char **)((char *)context->arena + mesh->table);
  for (uint64_t i = 0; i < mesh->num_regions; ++i) {
    const weir_region *region = &mesh->regions[i];
    weir_group group = weir_group_of(mesh->info->num_axes, mesh->info->sizes,
                                     (uint32_t)region->axes,
                                     weir_ranks_in(context)->comm->rank);
    table[i] = (const char *)context->weights + region->offset +
               group.index * region->stride;
  }
}

// What create compares with the other ranks.
typedef struct identity {
  uint64_t fingerprint;
  uint32_t abi_version;
  int32_t rank;
  uint32_t first, count; // the ranks that its library is for
} identity;

static weir_status compare_ranks(const weir_mesh *mesh, const weir_comm *comm,
                                 weir_context *context) {
  const weir_mesh_info *info = mesh->info;
  identity mine = {mesh->fingerprint, WEIR_ABI_VERSION, comm->rank, info->first,
                   info->count};
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
    else if (i - all[i].first >= all[i].count)
      status = WEIR_FAIL(
          context, WEIR_ERR_RANKS, "rank ", weir_digits((int64_t)i, rank),
          " was started with the library of rank ",
          weir_digits((int64_t)all[i].first, theirs),
          "; run.sh beside the libraries starts each rank with its own");
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
  weir_steps list = {weir_steps_in(mesh, ranks), (weir_move *)memory, 0, 0};
  weir_transfer *transfers =
      (weir_transfer *)(memory + (moves_bytes + WEIR_ALIGN - 1) / WEIR_ALIGN *
                                     WEIR_ALIGN);
  uint32_t made = 0;
  for (uint32_t i = 0; i < mesh->num_collectives; ++i) {
    const weir_collective *c = &mesh->collectives[i];
    weir_group group = weir_group_in(mesh, c, ranks->comm->rank);
    ranks->first[i] = list.num_steps;
    weir_add_steps(c, &group, c->key, &list);
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
  ranks->in_air = 0;
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
    find_own_weights(context);
    weir_end_call(context, WEIR_OK);
    status =
        weir_model_run(&model->model, context, function, tensors, num_tensors);
    if (status != WEIR_ERR_CHECK || !ranks->status || weir_begin_call(context))
      return status;
  }
  return weir_end_call(context,
                       WEIR_FAIL(context, ranks->status, ranks->message));
}

// Agreements of all ranks: a step that fails on one rank fails on all.

#include "runtime/checkpoint/ranks.h"
#include "runtime/digits.h"
#include "runtime/libc.h"

static size_t bytes_of(const weir_context *context) {
  return weir_mesh_of(context)->info->ranks * sizeof(weir_report);
}

weir_status weir_begin_ranks(const weir_mesh_model *model,
                             weir_context *context, const char *path,
                             weir_report **reports) {
  *reports = NULL;
  weir_status status = weir_checkpoint_begin(&model->model, context, path);
  if (status)
    return status;
  const weir_ranks *ranks = weir_ranks_in(context);
  if (ranks->broken)
    return weir_end_call(context,
                         WEIR_FAIL(context, ranks->status, ranks->message));
  void *pages = mmap(NULL, bytes_of(context), PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (pages == (void *)-1)
    return weir_end_call(context, WEIR_FAIL(context, WEIR_ERR_MEMORY,
                                            "no memory for what ranks tell"));
  *reports = pages;
  return WEIR_OK;
}

weir_status weir_end_ranks(weir_context *context, weir_report *reports,
                           weir_status status) {
  munmap(reports, bytes_of(context));
  return weir_end_call(context, status);
}

weir_status weir_lose_ranks(weir_context *context) {
  weir_ranks *ranks = weir_ranks_in(context);
  const char *parts[] = {"a rank did not answer in a save or a restore", NULL};
  weir_join(ranks->message, sizeof ranks->message, parts);
  ranks->status = WEIR_ERR_PEER;
  ranks->broken = 1;
  return WEIR_FAIL(context, WEIR_ERR_PEER, ranks->message);
}

static int is_alike(const weir_report *a, const weir_report *b) {
  return a->status == b->status &&
         !memcmp(a->message, b->message, sizeof a->message);
}

weir_status weir_agree_on(weir_context *context, weir_report *reports,
                          weir_status status, uint32_t number) {
  const weir_comm *comm = weir_ranks_in(context)->comm;
  weir_report mine;
  memset(&mine, 0, sizeof mine);
  mine.status = (int32_t)status;
  mine.number = number;
  // What stands behind a message's end is of an earlier one.
  for (size_t i = 0; status && context->message[i]; ++i)
    mine.message[i] = context->message[i];
  if (comm->gather(comm->user, &mine, reports, sizeof mine))
    return weir_lose_ranks(context);
  uint32_t first = 0, count = weir_mesh_of(context)->info->ranks, alike = 0;
  while (first < count && !reports[first].status)
    ++first;
  if (first == count)
    return WEIR_OK;
  for (uint32_t i = 0; i < count; ++i)
    alike += (uint32_t)is_alike(&reports[i], &reports[first]);
  char rank[WEIR_DIGITS];
  weir_status failed = (weir_status)reports[first].status;
  return alike == count
             ? WEIR_FAIL(context, failed, reports[first].message)
             : WEIR_FAIL(context, failed, "rank ", weir_digits(first, rank),
                         ": ", reports[first].message);
}

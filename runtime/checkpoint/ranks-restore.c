// Restores the variables of all ranks: each reads the parts that it has, of a
// checkpoint that any number of ranks has saved.

#include "runtime/checkpoint/ranks.h"
#include "runtime/checkpoint/restore.h"
#include "runtime/checkpoint/share.h"
#include "runtime/libc.h"

// The slices of tensors that this rank has.
typedef struct own_slices {
  void *pages;
  size_t page_bytes;
  weir_slice *slices;
} own_slices;

static int find_slices(own_slices *own, const weir_mesh_model *model,
                       int32_t rank) {
  const weir_model_info *info = model->model.info;
  size_t numbers = 0;
  for (uint32_t i = 0; i < info->num_variables; ++i)
    numbers += 2 * (size_t)info->variables[i].rank;
  own->page_bytes =
      info->num_variables * sizeof(weir_slice) + numbers * sizeof(int64_t) + 1;
  void *pages = mmap(NULL, own->page_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  own->pages = pages == (void *)-1 ? NULL : pages;
  if (!own->pages)
    return 0;
  own->slices = own->pages;
  int64_t *at = (int64_t *)(own->slices + info->num_variables);
  weir_box box;
  for (uint32_t i = 0; i < info->num_variables; ++i) {
    size_t count = (size_t)info->variables[i].rank;
    weir_box_of_part(model, i, weir_part_of_rank(model, i, rank), &box);
    weir_sizes_of_tensor(model, i, at);
    memcpy(at + count, box.starts, count * sizeof *at);
    own->slices[i].sizes = at;
    own->slices[i].starts = at + count;
    at += 2 * count;
  }
  return 1;
}

static weir_status restore_ranks(const weir_mesh_model *model,
                                 weir_context *context, const char *path,
                                 weir_report *reports) {
  own_slices own = {NULL, 0, NULL};
  weir_restorer r;
  r.done = NULL;
  weir_status status = weir_check_dimensions(model, context);
  if (!status && !find_slices(&own, model, weir_ranks_in(context)->comm->rank))
    status = WEIR_FAIL(context, WEIR_ERR_MEMORY,
                       "no memory to read checkpoint '", path, "'");
  if (!status)
    status = weir_open_restore(&r, context, own.slices, path);
  if (!status)
    status = weir_read_checkpoint(&r, /*load=*/0);
  status = weir_agree_on(context, reports, status, 0);
  if (!status) {
    status = weir_read_checkpoint(&r, /*load=*/1);
    status = weir_agree_on(context, reports, status, 0);
    // Someone has changed the files since they were checked.
    context->initialized = !status;
  }
  weir_close_restore(&r);
  if (own.pages)
    munmap(own.pages, own.page_bytes);
  return status;
}

weir_status weir_mesh_restore(const weir_mesh_model *model,
                              weir_context *context, const char *path) {
  weir_report *reports;
  weir_status status = weir_begin_ranks(model, context, path, &reports);
  return status ? status
                : weir_end_ranks(context, reports,
                                 restore_ranks(model, context, path, reports));
}

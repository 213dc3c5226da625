// Deals the variables out to the ranks that write them: each part to the rank
// that has it and has the fewest bytes so far.

#include "runtime/checkpoint/share.h"
#include "runtime/libc.h"

static const uint32_t *shards_of(const weir_mesh_model *model,
                                 uint32_t variable) {
  const weir_mesh_info *info = model->mesh->info;
  // Parts without elements would all be the same.
  return info->variables && model->model.info->variables[variable].elements
             ? info->variables[variable]
             : NULL;
}

// The ranks that divide a dimension.
static weir_group group_along(const weir_mesh_model *model, uint32_t axes,
                              int32_t rank) {
  const weir_mesh_info *info = model->mesh->info;
  return weir_group_of(info->num_axes, info->sizes, axes, rank);
}

static const weir_variable_info *info_of(const weir_mesh_model *model,
                                         uint32_t variable) {
  return &model->model.info->variables[variable];
}

uint32_t weir_parts_of_variable(const weir_mesh_model *model,
                                uint32_t variable) {
  const uint32_t *shards = shards_of(model, variable);
  uint32_t parts = 1;
  for (int32_t i = 0; shards && i < info_of(model, variable)->rank; ++i)
    parts *= group_along(model, shards[i], 0).size;
  return parts;
}

uint32_t weir_part_of_rank(const weir_mesh_model *model, uint32_t variable,
                           int32_t rank) {
  const uint32_t *shards = shards_of(model, variable);
  uint32_t part = 0;
  for (int32_t i = 0; shards && i < info_of(model, variable)->rank; ++i) {
    weir_group group = group_along(model, shards[i], rank);
    part = part * group.size + group.index;
  }
  return part;
}

void weir_sizes_of_tensor(const weir_mesh_model *model, uint32_t variable,
                          int64_t *sizes) {
  const weir_variable_info *info = info_of(model, variable);
  const weir_slice *slices = model->model.slices;
  const uint32_t *shards = shards_of(model, variable);
  for (int32_t i = 0; i < info->rank; ++i)
    sizes[i] = slices && slices[variable].sizes ? slices[variable].sizes[i]
               : shards ? info->shape[i] * group_along(model, shards[i], 0).size
                        : info->shape[i];
}

void weir_box_of_part(const weir_mesh_model *model, uint32_t variable,
                      uint32_t part, weir_box *box) {
  const weir_variable_info *info = info_of(model, variable);
  const weir_slice *slices = model->model.slices;
  const int64_t *starts = slices ? slices[variable].starts : NULL;
  const uint32_t *shards = shards_of(model, variable);
  int64_t sizes[WEIR_RANK_MOST];
  weir_sizes_of_tensor(model, variable, sizes);
  box->rank = info->rank;
  for (int32_t i = info->rank; i-- > 0;) {
    uint32_t parts = shards ? group_along(model, shards[i], 0).size : 1;
    box->starts[i] =
        (starts ? starts[i] : 0) + (int64_t)(part % parts) * info->shape[i];
    box->lengths[i] = info->shape[i] == sizes[i] ? -1 : info->shape[i];
    part /= parts;
  }
}

weir_status weir_check_dimensions(const weir_mesh_model *model,
                                  weir_context *context) {
  for (uint32_t i = 0; i < model->model.info->num_variables; ++i)
    if (info_of(model, i)->rank > WEIR_RANK_MOST)
      return WEIR_FAIL(context, WEIR_ERR_SIZE, "variable '",
                       info_of(model, i)->name, "' has too many dimensions");
  return WEIR_OK;
}

// Sets the writers of a variable's pieces.
static void find_writers(weir_shares *s, uint32_t variable) {
  weir_piece *pieces = s->pieces + s->first[variable];
  uint32_t parts = weir_parts_of_variable(s->model, variable);
  for (uint32_t i = 0; i < parts; ++i)
    pieces[i].writer = -1;
  for (uint32_t rank = 0; rank < s->model->mesh->info->ranks; ++rank) {
    weir_piece *piece =
        &pieces[weir_part_of_rank(s->model, variable, (int32_t)rank)];
    if (piece->writer < 0 || s->bytes[rank] < s->bytes[piece->writer])
      piece->writer = (int32_t)rank;
  }
  for (uint32_t i = 0; i < parts; ++i) {
    weir_piece *piece = &pieces[i];
    piece->offset = s->bytes[piece->writer];
    piece->number = s->counts[piece->writer]++;
    s->bytes[piece->writer] += info_of(s->model, variable)->bytes;
  }
}

int weir_share(weir_shares *s, const weir_mesh_model *model) {
  uint32_t count = model->model.info->num_variables;
  uint64_t pieces = 0, ranks = model->mesh->info->ranks;
  for (uint32_t i = 0; i < count; ++i)
    pieces += weir_parts_of_variable(model, i);
  s->model = model;
  s->page_bytes = (2 * (uint64_t)count + 1 + ranks) * sizeof(uint64_t) +
                  pieces * sizeof(weir_piece) + ranks * sizeof(uint32_t);
  void *pages = mmap(NULL, s->page_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  s->pages = pages == (void *)-1 ? NULL : pages;
  if (!s->pages)
    return 0;
  s->first = s->pages;
  s->cursors = s->first + count + 1;
  s->bytes = s->cursors + count;
  s->pieces = (weir_piece *)(s->bytes + ranks);
  s->counts = (uint32_t *)(s->pieces + pieces);
  for (uint32_t i = 0; i < count; ++i) {
    find_writers(s, i);
    s->first[i + 1] = s->first[i] + weir_parts_of_variable(model, i);
  }
  return 1;
}

void weir_free_shares(weir_shares *s) {
  if (s->pages)
    munmap(s->pages, s->page_bytes);
}

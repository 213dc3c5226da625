// Writes the index of what all ranks have written.

#include "runtime/checkpoint/share.h"
#include "runtime/libc.h"

typedef struct builder {
  weir_writer *to;
  weir_shares *shares;
  const uint32_t *sums;
  uint32_t most;
  weir_box box;
  int64_t shape[WEIR_RANK_MOST], sizes[WEIR_RANK_MOST];
} builder;

static const weir_variable_info *info_of(const builder *b, uint32_t variable) {
  return &b->shares->model->model.info->variables[variable];
}

static int is_same(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

// The end of the variables that are slices of one tensor.
static uint32_t end_of_tensor(const builder *b, uint32_t first) {
  uint32_t end = first + 1;
  while (end < b->shares->model->model.info->num_variables &&
         is_same(info_of(b, end)->key, info_of(b, first)->key))
    ++end;
  return end;
}

// Whether a tensor has one entry, which holds its elements.
static int is_whole(builder *b, uint32_t first, uint32_t end) {
  if (end > first + 1 || weir_parts_of_variable(b->shares->model, first) > 1)
    return 0;
  weir_box_of_part(b->shares->model, first, 0, &b->box);
  for (int32_t i = 0; i < b->box.rank; ++i)
    if (b->box.lengths[i] != -1)
      return 0;
  return 1;
}

// As the keys of slices of one tensor compare.
static int is_before(const weir_box *a, const weir_box *b) {
  for (int32_t i = 0; i < a->rank; ++i) {
    if (a->starts[i] != b->starts[i])
      return a->starts[i] < b->starts[i];
    if (a->lengths[i] != b->lengths[i])
      return a->lengths[i] < b->lengths[i];
  }
  return 0;
}

static void rewind_cursors(builder *b, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i)
    b->shares->cursors[i] = b->shares->first[i];
}

// The piece with the next key of the tensor's, and its variable; b->box is
// where it lies. Null at the end.
static const weir_piece *take_next(builder *b, uint32_t first, uint32_t end,
                                   uint32_t *variable) {
  weir_shares *s = b->shares;
  weir_box box;
  const weir_piece *next = NULL;
  for (uint32_t i = first; i < end; ++i) {
    if (s->cursors[i] == s->first[i + 1])
      continue;
    weir_box_of_part(s->model, i, (uint32_t)(s->cursors[i] - s->first[i]),
                     &box);
    if (next && !is_before(&box, &b->box))
      continue;
    b->box = box;
    next = &s->pieces[s->cursors[i]];
    *variable = i;
  }
  if (next)
    ++s->cursors[*variable];
  return next;
}

static weir_stored stored_of(builder *b, uint32_t variable,
                             const weir_piece *piece) {
  const weir_variable_info *info = info_of(b, variable);
  weir_stored entry = {
      info->dtype,
      info->rank,
      info->shape,
      (uint32_t)piece->writer,
      piece->offset,
      info->bytes,
      b->sums[(uint64_t)piece->writer * b->most + piece->number]};
  return entry;
}

static int put_slices(builder *b, uint32_t first, uint32_t end) {
  uint8_t key[WEIR_KEY_MOST];
  uint32_t variable = first;
  const weir_piece *piece;
  rewind_cursors(b, first, end);
  while ((piece = take_next(b, first, end, &variable))) {
    const char *name = info_of(b, variable)->key;
    size_t bytes =
        weir_put_slice_key(key, name, weir_length_of(name), b->box.rank,
                           b->box.starts, b->box.lengths);
    if (!bytes)
      return 0;
    weir_stored entry = stored_of(b, variable, piece);
    weir_put_entry(b->to, &entry, key, bytes);
  }
  return 1;
}

// An extent of a slice: its start (1) and length (2), none of which is that of
// the whole dimension. At most 22 bytes.
static size_t extent(uint8_t *to, int64_t start, int64_t length) {
  size_t at = 0;
  if (start) {
    to[at++] = 0x08;
    at += weir_varint(to + at, (uint64_t)start);
  }
  if (length >= 0) {
    to[at++] = 0x10;
    at += weir_varint(to + at, (uint64_t)length);
  }
  return at;
}

// The slice in b->box as an item (7) of a tensor's entry. Returns its bytes.
static size_t put_listed(builder *b, int is_written) {
  uint8_t bytes[32], head[16] = {0x3a};
  size_t extents = 0;
  for (int32_t i = 0; i < b->box.rank; ++i)
    extents += 2 + extent(bytes, b->box.starts[i], b->box.lengths[i]);
  size_t head_bytes = 1 + weir_varint(head + 1, extents);
  if (is_written)
    weir_put(b->to, head, head_bytes);
  for (int32_t i = 0; is_written && i < b->box.rank; ++i) {
    bytes[0] = 0x0a;
    bytes[1] = (uint8_t)extent(bytes + 2, b->box.starts[i], b->box.lengths[i]);
    weir_put(b->to, bytes, 2 + (size_t)bytes[1]);
  }
  return head_bytes + extents;
}

// The entry of a tensor that is in slices.
static void put_tensor(builder *b, uint32_t first, uint32_t end) {
  size_t bytes = 0;
  uint32_t variable;
  rewind_cursors(b, first, end);
  while (take_next(b, first, end, &variable))
    bytes += put_listed(b, /*is_written=*/0);
  const weir_variable_info *info = info_of(b, first);
  weir_sizes_of_tensor(b->shares->model, first, b->sizes);
  weir_stored entry = {info->dtype, info->rank, b->sizes, 0, 0, 0, 0};
  weir_put_tensor(b->to, &entry, info->key, bytes);
  rewind_cursors(b, first, end);
  while (take_next(b, first, end, &variable))
    put_listed(b, /*is_written=*/1);
}

int weir_put_shared_index(weir_writer *to, weir_shares *shares,
                          const uint32_t *sums, uint32_t most,
                          uint32_t num_shards) {
  builder b;
  b.to = to;
  b.shares = shares;
  b.sums = sums;
  b.most = most;
  const weir_model_info *info = shares->model->model.info;
  weir_begin_index(to, num_shards);
  for (uint32_t i = 0, end; i < info->num_variables; i = end) {
    end = end_of_tensor(&b, i);
    if (!is_whole(&b, i, end) && !put_slices(&b, i, end))
      return 0;
  }
  for (uint32_t i = 0, end; i < info->num_variables; i = end) {
    end = end_of_tensor(&b, i);
    if (!is_whole(&b, i, end)) {
      put_tensor(&b, i, end);
      continue;
    }
    weir_stored entry = stored_of(&b, i, &shares->pieces[shares->first[i]]);
    weir_put_entry(to, &entry, info->variables[i].key,
                   weir_length_of(info->variables[i].key));
  }
  weir_end_index(to, info->variables[info->num_variables - 1].key);
  return 1;
}

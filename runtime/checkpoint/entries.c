// Takes the entries of an index for the variables: what the entries say of
// tensors and slices is checked, and so are the bytes that they lead to.

#include "runtime/checkpoint/restore.h"
#include "runtime/libc.h"

// The position of a variable in the shards.
typedef struct stored {
  uint64_t dtype, shard, offset, bytes;
  uint32_t sum;
  int parts, rank, shape_agrees;
} stored;

int weir_read_at(int file, void *to, size_t bytes, uint64_t offset) {
  char *at = to;
  while (bytes) {
    long count = pread(file, at, bytes, (int64_t)offset);
    if (count <= 0)
      return 0;
    at += count;
    offset += (uint64_t)count;
    bytes -= (size_t)count;
  }
  return 1;
}

weir_status weir_damaged(weir_restorer *r, const char *what) {
  if (!r->context)
    return WEIR_ERR_CHECKPOINT;
  return WEIR_FAIL(r->context, WEIR_ERR_CHECKPOINT, "checkpoint '", r->path,
                   "' is damaged: ", what);
}

static weir_status fail_variable(weir_restorer *r, uint32_t variable,
                                 weir_status status, const char *what) {
  return WEIR_FAIL(r->context, status, "checkpoint '", r->path, "', variable '",
                   r->info->variables[variable].name, "': ", what);
}

weir_status weir_refuse(weir_restorer *r, uint32_t variable, const char *what) {
  return fail_variable(r, variable, WEIR_ERR_CHECKPOINT, what);
}

static int read_header(weir_restorer *r, weir_span from) {
  uint64_t field, value;
  weir_span bytes;
  r->shards = 0;
  while (from.at < from.end) {
    if (!weir_take_field(&from, &field, &value, &bytes))
      return 0;
    if (field == 1)
      r->shards = value > WEIR_SHARDS_MOST ? 0 : (uint32_t)value;
    else if (field == 2 && value)
      return 0; // the bytes of numbers are in the other order
  }
  return r->shards > 0;
}

// A shape is as many dimensions, each a message whose first field is its size.
static int read_shape(weir_span from, int32_t rank, const int64_t *sizes,
                      stored *entry) {
  uint64_t field, value, size;
  weir_span bytes, dim;
  while (from.at < from.end) {
    if (!weir_take_field(&from, &field, &value, &dim))
      return 0;
    if (field == 3 && value)
      entry->shape_agrees = 0;
    if (field != 2)
      continue;
    for (size = 0; dim.at < dim.end;) {
      if (!weir_take_field(&dim, &field, &value, &bytes))
        return 0;
      if (field == 1)
        size = value;
    }
    if (entry->rank >= rank || size != (uint64_t)sizes[entry->rank])
      entry->shape_agrees = 0;
    if (entry->rank < rank)
      ++entry->rank;
  }
  return 1;
}

static int read_stored(weir_span from, int32_t rank, const int64_t *sizes,
                       stored *entry) {
  uint64_t field, value;
  weir_span bytes;
  memset(entry, 0, sizeof *entry);
  entry->shape_agrees = 1;
  while (from.at < from.end) {
    if (!weir_take_field(&from, &field, &value, &bytes))
      return 0;
    if (field == 1)
      entry->dtype = value;
    else if (field == 2 && !read_shape(bytes, rank, sizes, entry))
      return 0;
    else if (field == 3)
      entry->shard = value;
    else if (field == 4)
      entry->offset = value;
    else if (field == 5)
      entry->bytes = value;
    else if (field == 6)
      entry->sum = (uint32_t)value;
    else if (field == 7)
      entry->parts = 1;
  }
  entry->shape_agrees &= entry->rank == rank;
  return 1;
}

static weir_status open_shard(weir_restorer *r, uint32_t variable,
                              uint32_t shard) {
  if (r->shard >= 0 && r->open_shard == shard)
    return WEIR_OK;
  char ending[32], path[WEIR_PATH_BYTES];
  weir_shard_ending(ending, shard, r->shards);
  if (!weir_path(path, r->path, ending))
    return fail_variable(r, variable, WEIR_ERR_SIZE,
                         "its shard's path is too long");
  if (r->shard >= 0)
    close(r->shard);
  r->shard = open(path, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_);
  r->open_shard = shard;
  if (r->shard >= 0)
    return WEIR_OK;
  return *__errno_location() == ENOENT_
             ? weir_refuse(r, variable, "its shard is missing")
             : fail_variable(r, variable, WEIR_ERR_IO,
                             "its shard cannot be opened");
}

// Checks the bytes of an entry, of the elements in r->box, or takes them.
static weir_status read_data(weir_restorer *r, uint32_t index,
                             const stored *entry, size_t width) {
  const weir_variable_info *variable = &r->info->variables[index];
  if (entry->shard >= r->shards)
    return weir_refuse(r, index, "its shard is none of the checkpoint's");
  weir_status status = open_shard(r, index, (uint32_t)entry->shard);
  if (status)
    return status;
  int64_t all = lseek(r->shard, 0, SEEK_END_);
  if (all < 0)
    return fail_variable(r, index, WEIR_ERR_IO, "cannot be read");
  if (entry->bytes > (uint64_t)all ||
      entry->offset > (uint64_t)all - entry->bytes)
    return weir_refuse(r, index, "lies outside of its shard");
  uint8_t *piece = r->pages + r->page_bytes - WEIR_PIECE;
  char *to = (char *)r->context->state + variable->offset;
  uint32_t sum = 0;
  for (uint64_t done = 0; done < entry->bytes;) {
    uint64_t count = entry->bytes - done;
    if (count > WEIR_PIECE)
      count = WEIR_PIECE;
    if (!weir_read_at(r->shard, piece, count, entry->offset + done))
      return fail_variable(r, index, WEIR_ERR_IO, "cannot be read");
    sum = weir_crc_of(&r->crc, piece, count, sum);
    for (uint64_t i = 0; variable->dtype == WEIR_BOOL && i < count; ++i)
      if (piece[i] > 1)
        return weir_refuse(r, index, "holds a byte that is no Boolean");
    if (r->load)
      weir_place_elements(&r->box, done / width, count / width, piece, width,
                          to, weir_starts_of(r, index), variable->shape);
    done += count;
  }
  return weir_crc_masked(sum) == entry->sum
             ? WEIR_OK
             : weir_refuse(r, index, "its checksum does not match");
}

static int compare_keys(const uint8_t *a, size_t bytes, const char *b) {
  for (size_t i = 0; i < bytes; ++i) {
    if (!b[i] || a[i] > (uint8_t)b[i])
      return 1;
    if (a[i] < (uint8_t)b[i])
      return -1;
  }
  return b[bytes] ? -1 : 0;
}

// The first of the variables that are, or are slices of, the tensor of a name.
static uint32_t find(const weir_restorer *r, const uint8_t *name,
                     size_t bytes) {
  uint32_t low = 0, high = r->info->num_variables;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_keys(name, bytes, r->info->variables[middle].key) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int is_of(const weir_restorer *r, uint32_t variable, const uint8_t *name,
                 size_t bytes) {
  return variable < r->info->num_variables &&
         !compare_keys(name, bytes, r->info->variables[variable].key);
}

// The bytes of an element, and how many elements the sizes make.
static size_t width_of(const weir_variable_info *variable) {
  return variable->elements ? variable->bytes / (size_t)variable->elements : 1;
}

// What an entry says of elements of these sizes, checked.
static weir_status check_stored(weir_restorer *r, uint32_t index,
                                weir_span value, const int64_t *sizes,
                                stored *entry) {
  const weir_variable_info *variable = &r->info->variables[index];
  if (!read_stored(value, variable->rank, sizes, entry))
    return weir_refuse(r, index, "its entry is malformed");
  if (entry->dtype != weir_checkpoint_dtype(variable->dtype))
    return weir_refuse(r, index, "is of another type");
  uint64_t bytes =
      entry->parts ? 0
                   : weir_count_of(variable->rank, sizes) * width_of(variable);
  return entry->shape_agrees && entry->bytes == bytes
             ? WEIR_OK
             : weir_refuse(r, index, "is of another shape");
}

// An entry of the tensor that a variable is, or is a slice of. Each process
// that saves a part of a checkpoint may have saved the tensor; the first
// counts.
static weir_status take_tensor(weir_restorer *r, uint32_t index,
                               weir_span value) {
  const weir_variable_info *variable = &r->info->variables[index];
  const int64_t *sizes = weir_sizes_of(r, index);
  weir_progress *done = &r->done[index];
  stored entry;
  if (done->found && done->elements == (uint64_t)variable->elements)
    return WEIR_OK;
  weir_status status = check_stored(r, index, value, sizes, &entry);
  if (status)
    return status;
  done->found = 1;
  if (variable->rank > WEIR_RANK_MOST)
    return weir_refuse(r, index, "has too many dimensions");
  if (entry.parts)
    return weir_check_list(r, index, value);
  if (!variable->elements)
    return WEIR_OK;
  if (done->elements)
    return weir_refuse(r, index, "its slices overlap");
  r->box.rank = variable->rank;
  for (int32_t i = 0; i < variable->rank; ++i) {
    r->box.starts[i] = 0;
    r->box.lengths[i] = sizes[i];
  }
  done->elements = (uint64_t)variable->elements;
  return read_data(r, index, &entry, width_of(variable));
}

// An entry of a slice, of which the variable holds elements or none.
static weir_status take_slice(weir_restorer *r, uint32_t index,
                              weir_span value) {
  const weir_variable_info *variable = &r->info->variables[index];
  const int64_t *sizes = weir_sizes_of(r, index);
  weir_progress *done = &r->done[index];
  stored entry;
  if (!weir_fit_box(&r->box, variable->rank, sizes))
    return weir_refuse(r, index, "is of another shape");
  uint64_t common =
      weir_common_elements(&r->box, weir_starts_of(r, index), variable->shape);
  if (!common)
    return WEIR_OK;
  weir_status status = check_stored(r, index, value, r->box.lengths, &entry);
  if (status)
    return status;
  // Slices that lie apart have no more bytes than the tensor has: few bytes of
  // an index lead to no more work than that.
  uint64_t whole = weir_count_of(variable->rank, sizes) * width_of(variable);
  done->slice_bytes += entry.bytes;
  if (entry.parts || done->slice_bytes > whole)
    return weir_refuse(r, index, "its slices overlap");
  uint64_t count = weir_count_of(variable->rank, r->box.lengths);
  done->elements += common;
  if (!r->load &&
      weir_mark_elements(&r->box, count, r->taken, variable->offset,
                         weir_starts_of(r, index), variable->shape) != common)
    return weir_refuse(r, index, "its slices overlap");
  return read_data(r, index, &entry, width_of(variable));
}

// The entries of one block, of which those of our keys count.
weir_status weir_read_entries(weir_restorer *r, weir_span entries) {
  while (entries.at < entries.end) {
    weir_span value, key = {r->key, r->key};
    if (!weir_take_entry(&entries, r->key, &r->key_bytes, &value))
      return weir_damaged(r, "its index is malformed");
    if (!r->header) {
      if (r->key_bytes || !read_header(r, value))
        return weir_damaged(r, "its header is malformed");
      r->header = 1;
      continue;
    }
    key.end += r->key_bytes;
    int is_slice = r->key_bytes && !r->key[0];
    if (is_slice && !weir_take_slice_key(key, r->name, &r->name_bytes, &r->box))
      return weir_damaged(r, "its index is malformed");
    const uint8_t *name = is_slice ? r->name : r->key;
    size_t bytes = is_slice ? r->name_bytes : r->key_bytes;
    for (uint32_t i = find(r, name, bytes); is_of(r, i, name, bytes); ++i) {
      weir_status status =
          is_slice ? take_slice(r, i, value) : take_tensor(r, i, value);
      if (status)
        return status;
    }
  }
  return WEIR_OK;
}

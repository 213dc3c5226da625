// Writes the index of a checkpoint: a table of the entries of variables, and of
// the tensors that they are slices of.

#include "runtime/checkpoint/index.h"
#include "runtime/libc.h"

uint32_t weir_checkpoint_dtype(weir_dtype dtype) {
  static const uint8_t numbers[] = {0, 19, 14, 1, 2,  10, 6,
                                    5, 3,  9,  4, 17, 22, 23};
  return numbers[dtype];
}

static void note_failure(weir_writer *to) {
  to->failed = 1;
  to->error = *__errno_location();
}

static void put_all(weir_writer *to, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count && !to->failed) {
    long written = write(to->file, at, count < (1u << 30) ? count : (1u << 30));
    if (written <= 0) {
      note_failure(to);
      return;
    }
    at += written;
    count -= (size_t)written;
  }
}

static void flush(weir_writer *to) {
  put_all(to, to->buffer, to->used);
  to->used = 0;
}

void weir_put(weir_writer *to, const void *bytes, size_t count) {
  to->sum = weir_crc_of(to->crc, bytes, count, to->sum);
  to->at += count;
  if (count > sizeof to->buffer - to->used)
    flush(to);
  if (count > sizeof to->buffer) {
    put_all(to, bytes, count);
    return;
  }
  memcpy(to->buffer + to->used, bytes, count);
  to->used += count;
}

static void put_u32(weir_writer *to, uint32_t value) {
  weir_put(to, &value, 4);
}

size_t weir_varint(uint8_t *to, uint64_t value) {
  size_t count = 0;
  for (; value >= 128; value >>= 7)
    to[count++] = (uint8_t)(value | 128);
  to[count++] = (uint8_t)value;
  return count;
}

void weir_put_varint(weir_writer *to, uint64_t value) {
  uint8_t bytes[10];
  weir_put(to, bytes, weir_varint(bytes, value));
}

size_t weir_length_of(const char *text) {
  size_t length = 0;
  while (text[length])
    ++length;
  return length;
}

// What an index says of a tensor: a message of its type (1), shape (2), shard
// (3), place (4), bytes (5) and checksum (6). Zeros are left out.
enum { ENTRY_BYTES = 64, DIM_BYTES = 14 };

static size_t dim(uint8_t *to, int64_t size) {
  uint8_t number[11] = {0x08};
  size_t length = size ? 1 + weir_varint(number + 1, (uint64_t)size) : 0;
  to[0] = 0x12;
  to[1] = (uint8_t)length;
  memcpy(to + 2, number, length);
  return 2 + length;
}

static size_t dims_bytes(int32_t rank, const int64_t *shape) {
  uint8_t unused[DIM_BYTES];
  size_t bytes = 0;
  for (int32_t i = 0; i < rank; ++i)
    bytes += dim(unused, shape[i]);
  return bytes;
}

// The message before its dimensions, and what comes after them.
static size_t entry_head(uint8_t *to, weir_dtype dtype, size_t dims) {
  size_t at = 0;
  to[at++] = 0x08;
  at += weir_varint(to + at, weir_checkpoint_dtype(dtype));
  to[at++] = 0x12;
  return at + weir_varint(to + at, dims);
}

static size_t entry_tail(uint8_t *to, const weir_stored *entry) {
  size_t at = 0;
  if (entry->shard) {
    to[at++] = 0x18;
    at += weir_varint(to + at, entry->shard);
  }
  if (entry->offset) {
    to[at++] = 0x20;
    at += weir_varint(to + at, entry->offset);
  }
  if (entry->bytes) {
    to[at++] = 0x28;
    at += weir_varint(to + at, entry->bytes);
  }
  to[at++] = 0x35;
  memcpy(to + at, &entry->sum, 4);
  return at + 4;
}

static uint64_t end_block(weir_writer *to, uint64_t begin) {
  uint64_t bytes = to->at - begin;
  weir_put(to, "", 1); // not compressed
  put_u32(to, weir_crc_masked(to->sum));
  return bytes;
}

void weir_put_key(weir_writer *to, const void *key, size_t key_bytes,
                  size_t value_bytes) {
  weir_put_varint(to, 0);
  weir_put_varint(to, key_bytes);
  weir_put_varint(to, value_bytes);
  weir_put(to, key, key_bytes);
}

static void put_dims(weir_writer *to, int32_t rank, const int64_t *shape) {
  uint8_t size[DIM_BYTES];
  for (int32_t i = 0; i < rank; ++i)
    weir_put(to, size, dim(size, shape[i]));
}

void weir_put_entry(weir_writer *to, const weir_stored *entry, const void *key,
                    size_t key_bytes) {
  uint8_t head[ENTRY_BYTES], tail[ENTRY_BYTES];
  size_t dims = dims_bytes(entry->rank, entry->shape);
  size_t head_bytes = entry_head(head, entry->dtype, dims);
  size_t tail_bytes = entry_tail(tail, entry);
  weir_put_key(to, key, key_bytes, head_bytes + dims + tail_bytes);
  weir_put(to, head, head_bytes);
  put_dims(to, entry->rank, entry->shape);
  weir_put(to, tail, tail_bytes);
}

void weir_put_tensor(weir_writer *to, const weir_stored *entry, const char *key,
                     size_t slices_bytes) {
  uint8_t head[ENTRY_BYTES];
  size_t dims = dims_bytes(entry->rank, entry->shape);
  size_t head_bytes = entry_head(head, entry->dtype, dims);
  weir_put_key(to, key, weir_length_of(key), head_bytes + dims + slices_bytes);
  weir_put(to, head, head_bytes);
  put_dims(to, entry->rank, entry->shape);
}

// A tensor that is saved in slices has its shape and these, and no bytes.
static void put_whole(weir_writer *to, const weir_variable_info *variable,
                      const weir_slice *slice) {
  uint8_t dtype[] = {0x08, (uint8_t)weir_checkpoint_dtype(variable->dtype)};
  weir_put_key(to, variable->key, weir_length_of(variable->key),
               sizeof dtype + slice->whole_bytes);
  weir_put(to, dtype, sizeof dtype);
  weir_put(to, slice->whole, slice->whole_bytes);
}

// In ascending order: the keys of slices begin with a zero, those of tensors do
// not.
static void put_entries(weir_writer *to, const weir_model *model,
                        const uint32_t *sums) {
  const weir_model_info *info = model->info;
  const weir_slice *slices = model->slices;
  for (int tensors = 0; tensors < 2; ++tensors) {
    uint64_t offset = 0;
    for (uint32_t i = 0; i < info->num_variables; ++i) {
      const weir_variable_info *variable = &info->variables[i];
      weir_stored entry = {variable->dtype, variable->rank,  variable->shape, 0,
                           offset,          variable->bytes, sums[i]};
      int is_slice = slices && slices[i].key;
      if (is_slice && !tensors)
        weir_put_entry(to, &entry, slices[i].key, slices[i].key_bytes);
      else if (is_slice && slices[i].whole)
        put_whole(to, variable, &slices[i]);
      else if (!is_slice && tensors)
        weir_put_entry(to, &entry, variable->key,
                       weir_length_of(variable->key));
      offset += variable->bytes;
    }
  }
}

// The one place from which keys can be read, and how many there are.
static void put_restarts(weir_writer *to) {
  put_u32(to, 0);
  put_u32(to, 1);
}

void weir_begin_index(weir_writer *to, uint32_t shards) {
  uint8_t header[16] = {0x08};
  size_t at = 1 + weir_varint(header + 1, shards);
  memcpy(header + at, "\x1a\x02\x08\x01", 4);
  to->sum = 0;
  weir_put_key(to, "", 0, at + 4);
  weir_put(to, header, at + 4);
}

void weir_end_index(weir_writer *to, const char *last) {
  put_restarts(to);
  uint64_t data = end_block(to, 0);

  uint64_t meta_at = to->at;
  to->sum = 0;
  put_restarts(to);
  uint64_t meta = end_block(to, meta_at);

  uint64_t top_at = to->at;
  uint8_t handle[20];
  size_t handle_bytes = weir_varint(handle, 0);
  handle_bytes += weir_varint(handle + handle_bytes, data);
  to->sum = 0;
  weir_put_key(to, last, weir_length_of(last), handle_bytes);
  weir_put(to, handle, handle_bytes);
  put_restarts(to);
  uint64_t top = end_block(to, top_at);

  uint8_t footer[WEIR_FOOTER_BYTES] = {0};
  size_t at = weir_varint(footer, meta_at);
  at += weir_varint(footer + at, meta);
  at += weir_varint(footer + at, top_at);
  weir_varint(footer + at, top);
  memcpy(footer + WEIR_FOOTER_BYTES - 8, &weir_table_magic, 8);
  weir_put(to, footer, sizeof footer);
}

void weir_put_index(weir_writer *to, const weir_model *model,
                    const uint32_t *sums, uint32_t shards) {
  const weir_model_info *info = model->info;
  weir_begin_index(to, shards);
  put_entries(to, model, sums);
  weir_end_index(to, info->variables[info->num_variables - 1].key);
}

int weir_begin_file(weir_writer *to, const weir_crc *crc, const char *path,
                    int how) {
  to->crc = crc;
  to->sum = 0;
  to->at = to->used = 0;
  to->failed = to->error = 0;
  to->file = open(path, O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ | how, 0666);
  if (to->file < 0)
    note_failure(to);
  return !to->failed;
}

int weir_sync_file(weir_writer *to) {
  flush(to);
  if (!to->failed && fsync(to->file))
    note_failure(to);
  return !to->failed;
}

int weir_end_file(weir_writer *to) {
  weir_sync_file(to);
  if (close(to->file) && !to->failed)
    note_failure(to);
  return !to->failed;
}

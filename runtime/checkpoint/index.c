// Writes the index of a checkpoint: a table of the entries of variables, and of
// the tensors that they are slices of.

#include "runtime/checkpoint/index.h"
#include "runtime/libc.h"

uint32_t weir_checkpoint_dtype(weir_dtype dtype) {
  static const uint8_t numbers[] = {0, 19, 14, 1, 2,  10, 6,
                                    5, 3,  9,  4, 17, 22, 23};
  return numbers[dtype];
}

static void put_all(weir_writer *to, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count && !to->failed) {
    long written = write(to->file, at, count < (1u << 30) ? count : (1u << 30));
    if (written <= 0) {
      to->failed = 1;
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

static size_t varint(uint8_t *to, uint64_t value) {
  size_t count = 0;
  for (; value >= 128; value >>= 7)
    to[count++] = (uint8_t)(value | 128);
  to[count++] = (uint8_t)value;
  return count;
}

static void put_varint(weir_writer *to, uint64_t value) {
  uint8_t bytes[10];
  weir_put(to, bytes, varint(bytes, value));
}

static size_t length_of(const char *text) {
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
  size_t length = size ? 1 + varint(number + 1, (uint64_t)size) : 0;
  to[0] = 0x12;
  to[1] = (uint8_t)length;
  memcpy(to + 2, number, length);
  return 2 + length;
}

static size_t shape_bytes(const weir_variable_info *variable) {
  uint8_t unused[DIM_BYTES];
  size_t bytes = 0;
  for (int32_t i = 0; i < variable->rank; ++i)
    bytes += dim(unused, variable->shape[i]);
  return bytes;
}

// The message before its dimensions, and what comes after them.
static size_t entry_head(uint8_t *to, const weir_variable_info *variable) {
  size_t at = 0;
  to[at++] = 0x08;
  at += varint(to + at, weir_checkpoint_dtype(variable->dtype));
  to[at++] = 0x12;
  return at + varint(to + at, shape_bytes(variable));
}

static size_t entry_tail(uint8_t *to, const weir_variable_info *variable,
                         uint64_t offset, uint32_t sum) {
  size_t at = 0;
  if (offset) {
    to[at++] = 0x20;
    at += varint(to + at, offset);
  }
  if (variable->bytes) {
    to[at++] = 0x28;
    at += varint(to + at, variable->bytes);
  }
  to[at++] = 0x35;
  memcpy(to + at, &sum, 4);
  return at + 4;
}

static uint64_t end_block(weir_writer *to, uint64_t begin) {
  uint64_t bytes = to->at - begin;
  weir_put(to, "", 1); // not compressed
  put_u32(to, weir_crc_masked(to->sum));
  return bytes;
}

// Begins an entry; its key shares nothing with the one before.
static void put_key(weir_writer *to, const void *key, size_t key_bytes,
                    size_t value_bytes) {
  put_varint(to, 0);
  put_varint(to, key_bytes);
  put_varint(to, value_bytes);
  weir_put(to, key, key_bytes);
}

static void put_entry(weir_writer *to, const weir_variable_info *variable,
                      const void *key, size_t key_bytes, uint64_t offset,
                      uint32_t sum) {
  uint8_t head[ENTRY_BYTES], tail[ENTRY_BYTES], size[DIM_BYTES];
  size_t head_bytes = entry_head(head, variable);
  size_t tail_bytes = entry_tail(tail, variable, offset, sum);
  put_key(to, key, key_bytes, head_bytes + shape_bytes(variable) + tail_bytes);
  weir_put(to, head, head_bytes);
  for (int32_t i = 0; i < variable->rank; ++i)
    weir_put(to, size, dim(size, variable->shape[i]));
  weir_put(to, tail, tail_bytes);
}

// A tensor that is saved in slices has its shape and these, and no bytes.
static void put_whole(weir_writer *to, const weir_variable_info *variable,
                      const weir_slice *slice) {
  uint8_t dtype[] = {0x08, (uint8_t)weir_checkpoint_dtype(variable->dtype)};
  put_key(to, variable->key, length_of(variable->key),
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
      int is_slice = slices && slices[i].key;
      if (is_slice && !tensors)
        put_entry(to, variable, slices[i].key, slices[i].key_bytes, offset,
                  sums[i]);
      else if (is_slice && slices[i].whole)
        put_whole(to, variable, &slices[i]);
      else if (!is_slice && tensors)
        put_entry(to, variable, variable->key, length_of(variable->key), offset,
                  sums[i]);
      offset += variable->bytes;
    }
  }
}

// The one place from which keys can be read, and how many there are.
static void put_restarts(weir_writer *to) {
  put_u32(to, 0);
  put_u32(to, 1);
}

void weir_put_index(weir_writer *to, const weir_model *model,
                    const uint32_t *sums, uint32_t shards) {
  const weir_model_info *info = model->info;
  const uint8_t header[] = {0x08, (uint8_t)shards, 0x1a, 0x02, 0x08, 0x01};
  to->sum = 0;
  put_key(to, "", 0, sizeof header);
  weir_put(to, header, sizeof header);
  put_entries(to, model, sums);
  put_restarts(to);
  uint64_t data = end_block(to, 0);

  uint64_t meta_at = to->at;
  to->sum = 0;
  put_restarts(to);
  uint64_t meta = end_block(to, meta_at);

  uint64_t top_at = to->at;
  const char *last = info->variables[info->num_variables - 1].key;
  uint8_t handle[20];
  size_t handle_bytes = varint(handle, 0);
  handle_bytes += varint(handle + handle_bytes, data);
  to->sum = 0;
  put_key(to, last, length_of(last), handle_bytes);
  weir_put(to, handle, handle_bytes);
  put_restarts(to);
  uint64_t top = end_block(to, top_at);

  uint8_t footer[WEIR_FOOTER_BYTES] = {0};
  size_t at = varint(footer, meta_at);
  at += varint(footer + at, meta);
  at += varint(footer + at, top_at);
  varint(footer + at, top);
  memcpy(footer + WEIR_FOOTER_BYTES - 8, &weir_table_magic, 8);
  weir_put(to, footer, sizeof footer);
}

int weir_begin_file(weir_writer *to, const weir_crc *crc, const char *path,
                    int how) {
  to->crc = crc;
  to->sum = 0;
  to->at = to->used = 0;
  to->file = open(path, O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ | how, 0666);
  to->failed = to->file < 0;
  return !to->failed;
}

int weir_end_file(weir_writer *to) {
  flush(to);
  if (!to->failed && fsync(to->file))
    to->failed = 1;
  if (close(to->file))
    to->failed = 1;
  return !to->failed;
}

// Saves the variables as a checkpoint that TensorFlow reads.
//
// Whenever the process or the machine stops, the old checkpoint or the new one
// is whole: the data go to a file that the old index does not name, and the new
// index takes its place at once, by a rename, when all it names is on the disk.
// A shard's name holds how many there are, so the new data alternate between
// being the first shard of one and of two. What the old index names must be
// known for that: where it cannot be read now, nothing is saved; where it is
// damaged, the data go to a file that was not there. The old data are removed
// when the folder with the new index is on the disk, and not before.

#include "runtime/checkpoint.h"
#include "runtime/libc.h"

const uint64_t weir_table_magic = 0xdb4775248b80fb57;

uint32_t weir_checkpoint_dtype(weir_dtype dtype) {
  static const uint8_t numbers[] = {0, 19, 14, 1, 2,  10, 6,
                                    5, 3,  9,  4, 17, 22, 23};
  return numbers[dtype];
}

int weir_path(char to[WEIR_PATH_BYTES], const char *path, const char *ending) {
  size_t at = 0;
  for (const char *part = path; part; part = part == path ? ending : NULL)
    for (const char *c = part; *c; ++c) {
      if (at + 1 >= WEIR_PATH_BYTES)
        return 0;
      to[at++] = *c;
    }
  to[at] = 0;
  return 1;
}

void weir_shard_ending(char to[32], uint32_t shard, uint32_t count) {
  memcpy(to, ".data-00000-of-00000", 21);
  for (int i = 0; i < 5; ++i, shard /= 10, count /= 10) {
    to[10 - i] = (char)('0' + shard % 10);
    to[19 - i] = (char)('0' + count % 10);
  }
}

// A file that is being written, with a checksum of what is in it.
typedef struct writer {
  const weir_crc *crc;
  int file, failed;
  uint32_t sum;
  uint64_t at;
  size_t used;
  uint8_t buffer[4096];
} writer;

static void put_all(writer *to, const void *bytes, size_t count) {
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

static void flush(writer *to) {
  put_all(to, to->buffer, to->used);
  to->used = 0;
}

static void put(writer *to, const void *bytes, size_t count) {
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

static void put_u32(writer *to, uint32_t value) { put(to, &value, 4); }

static size_t varint(uint8_t *to, uint64_t value) {
  size_t count = 0;
  for (; value >= 128; value >>= 7)
    to[count++] = (uint8_t)(value | 128);
  to[count++] = (uint8_t)value;
  return count;
}

static void put_varint(writer *to, uint64_t value) {
  uint8_t bytes[10];
  put(to, bytes, varint(bytes, value));
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

static uint64_t end_block(writer *to, uint64_t begin) {
  uint64_t bytes = to->at - begin;
  put(to, "", 1); // not compressed
  put_u32(to, weir_crc_masked(to->sum));
  return bytes;
}

static void put_entry(writer *to, const weir_variable_info *variable,
                      uint64_t offset, uint32_t sum) {
  uint8_t head[ENTRY_BYTES], tail[ENTRY_BYTES], size[DIM_BYTES];
  size_t head_bytes = entry_head(head, variable);
  size_t tail_bytes = entry_tail(tail, variable, offset, sum);
  size_t key = length_of(variable->key);
  put_varint(to, 0); // shares nothing with the key before
  put_varint(to, key);
  put_varint(to, head_bytes + shape_bytes(variable) + tail_bytes);
  put(to, variable->key, key);
  put(to, head, head_bytes);
  for (int32_t i = 0; i < variable->rank; ++i)
    put(to, size, dim(size, variable->shape[i]));
  put(to, tail, tail_bytes);
}

// The one place from which keys can be read, and how many there are.
static void put_restarts(writer *to) {
  put_u32(to, 0);
  put_u32(to, 1);
}

// One block of all entries, one of no meta data, and one that leads to the
// first. `sums` are the variables' checksums.
static void put_index(writer *to, const weir_model_info *info,
                      const uint32_t *sums, uint32_t shards) {
  const uint8_t header[] = {0x08, (uint8_t)shards, 0x1a, 0x02, 0x08, 0x01};
  to->sum = 0;
  put_varint(to, 0);
  put_varint(to, 0);
  put_varint(to, sizeof header);
  put(to, header, sizeof header);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < info->num_variables; ++i) {
    put_entry(to, &info->variables[i], offset, sums[i]);
    offset += info->variables[i].bytes;
  }
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
  put_varint(to, 0);
  put_varint(to, length_of(last));
  put_varint(to, handle_bytes);
  put(to, last, length_of(last));
  put(to, handle, handle_bytes);
  put_restarts(to);
  uint64_t top = end_block(to, top_at);

  uint8_t footer[WEIR_FOOTER_BYTES] = {0};
  size_t at = varint(footer, meta_at);
  at += varint(footer + at, meta);
  at += varint(footer + at, top_at);
  varint(footer + at, top);
  memcpy(footer + WEIR_FOOTER_BYTES - 8, &weir_table_magic, 8);
  put(to, footer, sizeof footer);
}

// Begins a file, one that is emptied (O_TRUNC_) or that was not there
// (O_EXCL_); ends it, on the disk and whole or with 0 for an answer.
static int begin(writer *to, const weir_crc *crc, const char *path, int how) {
  to->crc = crc;
  to->sum = 0;
  to->at = to->used = 0;
  to->file = open(path, O_WRONLY_ | O_CREAT_ | O_CLOEXEC_ | how, 0666);
  to->failed = to->file < 0;
  return !to->failed;
}

static int end(writer *to) {
  flush(to);
  if (!to->failed && fsync(to->file))
    to->failed = 1;
  if (close(to->file))
    to->failed = 1;
  return !to->failed;
}

// A rename is on the disk when the folder is; 0 where it may not be. Some file
// systems have nothing to write for a folder, and refuse.
static int sync_folder(const char *path) {
  char folder[WEIR_PATH_BYTES];
  size_t slash = 0, i = 0;
  for (; path[i] && i + 1 < sizeof folder; ++i) {
    folder[i] = path[i];
    if (path[i] == '/')
      slash = i + 1;
  }
  folder[slash] = 0;
  int file = open(slash ? folder : ".", O_RDONLY_ | O_CLOEXEC_);
  if (file < 0)
    return 0;
  int synced = !fsync(file) || *__errno_location() == EINVAL_;
  close(file);
  return synced;
}

// A checkpoint on its way to the disk.
typedef struct saver {
  weir_context *context;
  weir_crc crc;
  writer to;
  uint32_t before, shards; // of the old checkpoint, and of the new one
  char data[WEIR_PATH_BYTES], index[WEIR_PATH_BYTES], part[WEIR_PATH_BYTES];
} saver;

// Of checkpoints with more shards than that none is ours.
enum { SHARDS_OF_OURS = 3 };

static int data_path(char to[WEIR_PATH_BYTES], const char *path,
                     uint32_t shards) {
  char ending[32];
  weir_shard_ending(ending, 0, shards);
  return weir_path(to, path, ending);
}

// Begins the data, in a file that the old index does not name.
static int begin_data(saver *s, const char *path, int is_damaged) {
  if (!is_damaged) {
    s->shards = s->before == 1 ? 2 : 1;
    return data_path(s->data, path, s->shards) &&
           begin(&s->to, &s->crc, s->data, O_TRUNC_);
  }
  for (s->shards = 1; s->shards <= SHARDS_OF_OURS; ++s->shards)
    if (data_path(s->data, path, s->shards) &&
        begin(&s->to, &s->crc, s->data, O_EXCL_))
      return 1;
  return 0;
}

// Writes the variables' bytes and keeps their checksums in the room of `order`.
static int write_data(saver *s) {
  const weir_model_info *info = s->context->model->info;
  s->context->ordered = 0;
  for (uint32_t i = 0; i < info->num_variables; ++i) {
    const weir_variable_info *variable = &info->variables[i];
    char *at = (char *)s->context->state + variable->offset;
    // A caller's bytes that a function assigned; readers want 0 or 1.
    for (size_t k = 0; variable->dtype == WEIR_BOOL && k < variable->bytes; ++k)
      at[k] = at[k] != 0;
    s->to.sum = 0;
    put(&s->to, at, variable->bytes);
    s->context->order[i] = weir_crc_masked(s->to.sum);
  }
  return end(&s->to);
}

// The new index takes the old one's place when all is on the disk. Of a failure
// nothing stays behind.
static int write_index(saver *s, const char *path) {
  int done = begin(&s->to, &s->crc, s->part, O_TRUNC_);
  if (!done)
    return 0;
  put_index(&s->to, s->context->model->info, s->context->order, s->shards);
  done = end(&s->to) && sync_folder(path);
  if (done && !rename(s->part, s->index))
    return 1;
  unlink(s->part);
  return 0;
}

static weir_status save(saver *s, const char *path) {
  weir_status found = weir_shards_at(&s->crc, path, &s->before);
  if (found && found != WEIR_ERR_CHECKPOINT)
    return WEIR_FAIL(s->context, found, "cannot write checkpoint '", path,
                     "': what it would replace cannot be read");
  // The index may have come by a rename that is not on the disk yet: the one
  // before it names the file that the new data go to.
  int done =
      sync_folder(path) && begin_data(s, path, found == WEIR_ERR_CHECKPOINT);
  if (done && !(done = write_data(s) && write_index(s, path)))
    unlink(s->data);
  if (!done)
    return WEIR_FAIL(s->context, WEIR_ERR_IO, "cannot write checkpoint '", path,
                     "'");
  if (!sync_folder(path))
    return WEIR_FAIL(s->context, WEIR_ERR_IO, "checkpoint '", path,
                     "' is written, but its folder may not be on the disk");
  if (s->before && s->before <= SHARDS_OF_OURS &&
      data_path(s->data, path, s->before))
    unlink(s->data);
  return WEIR_OK;
}

weir_status weir_checkpoint_begin(const weir_model *model,
                                  weir_context *context, const char *path) {
  if (!context || !path)
    return WEIR_ERR_NULL;
  if (!weir_model_alive(model, context))
    return WEIR_ERR_CONTEXT;
  weir_status status = weir_begin_call(context);
  if (!status)
    context->message[0] = 0;
  return status;
}

static weir_status save_context(weir_context *context, const char *path) {
  if (!context->initialized)
    return WEIR_FAIL(context, WEIR_ERR_UNINITIALIZED,
                     "there is nothing to save: the variables have no values "
                     "yet");
  saver s;
  s.context = context;
  weir_crc_init(&s.crc);
  return weir_path(s.part, path, ".index.partial") &&
                 weir_path(s.index, path, ".index")
             ? save(&s, path)
             : WEIR_FAIL(context, WEIR_ERR_SIZE,
                         "the checkpoint's path is too long");
}

weir_status weir_model_save(const weir_model *model, weir_context *context,
                            const char *path) {
  weir_status status = weir_checkpoint_begin(model, context, path);
  return status ? status : weir_end_call(context, save_context(context, path));
}

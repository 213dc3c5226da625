// Restores the variables from a checkpoint, of which no byte is trusted.
//
// All is checked first and only then read, so that a checkpoint that is refused
// leaves the variables as they were. What the index holds lies in pages of the
// system's meanwhile; nothing is allocated.

#include "runtime/libc.h"
#include "runtime/table.h"

enum { PIECE = 1 << 16 }; // of a shard that is read at once

// A variable's place in the shards.
typedef struct stored {
  uint64_t dtype, shard, offset, bytes;
  uint32_t sum;
  int parts, rank, shape_agrees;
} stored;

typedef struct restorer {
  weir_context *context;
  const weir_model_info *info;
  const char *path;
  weir_crc crc;
  int index, shard; // files; -1
  int absent;       // whether there is no index
  uint32_t open_shard, shards;
  uint8_t *pages; // the index, and then room for a block and for a piece
  size_t page_bytes, index_bytes;
  uint32_t next; // the variable that is looked for
  int load;      // whether bytes go to the variables
  uint8_t key[WEIR_KEY_MOST];
  size_t key_bytes;
  int header;
} restorer;

static int read_at(int file, void *to, size_t bytes, uint64_t offset) {
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

static weir_status damaged(restorer *r, const char *what) {
  if (!r->context)
    return WEIR_ERR_CHECKPOINT;
  return WEIR_FAIL(r->context, WEIR_ERR_CHECKPOINT, "checkpoint '", r->path,
                   "' is damaged: ", what);
}

static weir_status fail_variable(restorer *r, weir_status status,
                                 const char *what) {
  return WEIR_FAIL(r->context, status, "checkpoint '", r->path, "', variable '",
                   r->info->variables[r->next].name, "': ", what);
}

static weir_status refuse(restorer *r, const char *what) {
  return fail_variable(r, WEIR_ERR_CHECKPOINT, what);
}

static int read_header(restorer *r, weir_span from) {
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
static int read_shape(weir_span from, const weir_variable_info *variable,
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
    if (entry->rank >= variable->rank ||
        size != (uint64_t)variable->shape[entry->rank])
      entry->shape_agrees = 0;
    if (entry->rank < variable->rank)
      ++entry->rank;
  }
  return 1;
}

static int read_stored(weir_span from, const weir_variable_info *variable,
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
    else if (field == 2 && !read_shape(bytes, variable, entry))
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
  entry->shape_agrees &= entry->rank == variable->rank;
  return 1;
}

static weir_status open_shard(restorer *r, uint32_t shard) {
  if (r->shard >= 0 && r->open_shard == shard)
    return WEIR_OK;
  char ending[32], path[WEIR_PATH_BYTES];
  weir_shard_ending(ending, shard, r->shards);
  if (!weir_path(path, r->path, ending))
    return fail_variable(r, WEIR_ERR_SIZE, "its shard's path is too long");
  if (r->shard >= 0)
    close(r->shard);
  r->shard = open(path, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_);
  r->open_shard = shard;
  if (r->shard >= 0)
    return WEIR_OK;
  return *__errno_location() == ENOENT_
             ? refuse(r, "its shard is missing")
             : fail_variable(r, WEIR_ERR_IO, "its shard cannot be opened");
}

// Checks a variable's bytes, or takes them.
static weir_status read_data(restorer *r, const stored *entry) {
  const weir_variable_info *variable = &r->info->variables[r->next];
  if (entry->shard >= r->shards)
    return refuse(r, "its shard is none of the checkpoint's");
  weir_status status = open_shard(r, (uint32_t)entry->shard);
  if (status)
    return status;
  int64_t all = lseek(r->shard, 0, SEEK_END_);
  if (all < 0)
    return WEIR_ERR_IO;
  if (entry->bytes > (uint64_t)all ||
      entry->offset > (uint64_t)all - entry->bytes)
    return refuse(r, "lies outside of its shard");
  uint8_t *piece = r->pages + r->page_bytes - PIECE;
  char *to = (char *)r->context->state + variable->offset;
  uint32_t sum = 0;
  for (uint64_t done = 0; done < entry->bytes;) {
    uint64_t count = entry->bytes - done;
    if (count > PIECE)
      count = PIECE;
    if (!read_at(r->shard, piece, count, entry->offset + done))
      return fail_variable(r, WEIR_ERR_IO, "cannot be read");
    sum = weir_crc_of(&r->crc, piece, count, sum);
    for (uint64_t i = 0; variable->dtype == WEIR_BOOL && i < count; ++i)
      if (piece[i] > 1)
        return refuse(r, "holds what is no truth value");
    if (r->load)
      memcpy(to + done, piece, count);
    done += count;
  }
  return weir_crc_masked(sum) == entry->sum
             ? WEIR_OK
             : refuse(r, "its checksum does not match");
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

static weir_status take_variable(restorer *r, weir_span value) {
  const weir_variable_info *variable = &r->info->variables[r->next];
  stored entry;
  if (!read_stored(value, variable, &entry))
    return refuse(r, "its entry is malformed");
  if (entry.parts)
    return refuse(r, "is saved in parts, which weir does not read");
  if (entry.dtype != weir_checkpoint_dtype(variable->dtype))
    return refuse(r, "is of another type");
  if (!entry.shape_agrees || entry.bytes != variable->bytes)
    return refuse(r, "is of another shape");
  return read_data(r, &entry);
}

// The entries of one block, of which those of our keys count: both are in
// ascending order.
static weir_status read_entries(restorer *r, weir_span entries) {
  while (entries.at < entries.end) {
    weir_span value;
    if (!weir_take_entry(&entries, r->key, &r->key_bytes, &value))
      return damaged(r, "its index is malformed");
    if (!r->header) {
      if (r->key_bytes || !read_header(r, value))
        return damaged(r, "its header is malformed");
      r->header = 1;
      continue;
    }
    if (r->next == r->info->num_variables)
      continue;
    int order =
        compare_keys(r->key, r->key_bytes, r->info->variables[r->next].key);
    if (order > 0)
      return refuse(r, "is not in it");
    if (order < 0)
      continue;
    weir_status status = take_variable(r, value);
    if (status)
      return status;
    ++r->next;
  }
  return WEIR_OK;
}

static weir_status read_table(restorer *r) {
  weir_span index = {r->pages, r->pages + r->index_bytes};
  weir_span footer = {r->pages + r->index_bytes - WEIR_FOOTER_BYTES,
                      r->pages + r->index_bytes};
  uint64_t magic, offset, size;
  memcpy(&magic, footer.end - 8, 8);
  weir_span top, value, data;
  uint8_t *room = r->pages + r->index_bytes;
  if (magic != weir_table_magic || !weir_take_varint(&footer, &offset) ||
      !weir_take_varint(&footer, &size) ||
      !weir_take_varint(&footer, &offset) ||
      !weir_take_varint(&footer, &size) ||
      !weir_find_block(&r->crc, index, offset, size, room, &top))
    return damaged(r, "its index is malformed");
  r->next = 0;
  r->header = 0;
  r->key_bytes = 0;
  uint8_t separator[WEIR_KEY_MOST];
  size_t separator_bytes = 0;
  // Blocks follow each other: few bytes lead to no more work than they are.
  uint64_t begin = 0;
  while (top.at < top.end) {
    if (!weir_take_entry(&top, separator, &separator_bytes, &value) ||
        !weir_take_varint(&value, &offset) ||
        !weir_take_varint(&value, &size) || offset < begin ||
        !weir_find_block(&r->crc, index, offset, size,
                         room + WEIR_UNPACKED_MOST, &data))
      return damaged(r, "its index is malformed");
    begin = offset + size + WEIR_TRAILER_BYTES;
    r->key_bytes = 0;
    weir_status status = read_entries(r, data);
    if (status)
      return status;
  }
  if (!r->header)
    return damaged(r, "it has no header");
  return r->next < r->info->num_variables ? refuse(r, "is not in it") : WEIR_OK;
}

// Opens the index and reads it into pages.
static weir_status open_index(restorer *r) {
  char path[WEIR_PATH_BYTES];
  r->index = r->shard = -1;
  r->pages = NULL;
  if (!weir_path(path, r->path, ".index"))
    return WEIR_ERR_SIZE;
  r->index = open(path, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_);
  r->absent = r->index < 0 && *__errno_location() == ENOENT_;
  int64_t bytes = r->index < 0 ? -1 : lseek(r->index, 0, SEEK_END_);
  if (bytes < 0)
    return WEIR_ERR_IO;
  if (bytes < WEIR_FOOTER_BYTES || bytes > WEIR_INDEX_MOST)
    return WEIR_ERR_CHECKPOINT;
  r->index_bytes = (size_t)bytes;
  r->page_bytes = r->index_bytes + 2 * (size_t)WEIR_UNPACKED_MOST + PIECE;
  void *pages = mmap(NULL, r->page_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (pages == (void *)-1)
    return WEIR_ERR_MEMORY;
  r->pages = pages;
  return read_at(r->index, r->pages, r->index_bytes, 0) ? WEIR_OK : WEIR_ERR_IO;
}

// The same, and what is wrong where that cannot be.
static weir_status begin_restore(restorer *r) {
  weir_status status = open_index(r);
  switch (status) {
  case WEIR_OK:
    return WEIR_OK;
  case WEIR_ERR_CHECKPOINT:
    return damaged(r, "its index is not as large as one is");
  case WEIR_ERR_SIZE:
    return WEIR_FAIL(r->context, status, "the checkpoint's path is too long");
  case WEIR_ERR_MEMORY:
    return WEIR_FAIL(r->context, status, "no memory to read checkpoint '",
                     r->path, "'");
  default:
    return WEIR_FAIL(r->context, status, "cannot read checkpoint '", r->path,
                     r->absent ? "': there is none" : "'");
  }
}

static void close_index(restorer *r) {
  if (r->pages)
    munmap(r->pages, r->page_bytes);
  if (r->index >= 0)
    close(r->index);
  if (r->shard >= 0)
    close(r->shard);
}

weir_status weir_shards_at(const weir_crc *crc, const char *path,
                           uint32_t *shards) {
  static const weir_model_info none;
  restorer r;
  memset(&r, 0, sizeof r);
  r.info = &none;
  r.path = path;
  r.crc = *crc;
  weir_status status = open_index(&r);
  if (!status)
    status = read_table(&r);
  close_index(&r);
  *shards = status ? 0 : r.shards;
  return r.absent ? WEIR_OK : status;
}

static weir_status restore_context(weir_context *context, const char *path) {
  restorer r;
  memset(&r, 0, sizeof r);
  r.context = context;
  r.info = context->model->info;
  r.path = path;
  weir_crc_init(&r.crc);
  weir_status status = begin_restore(&r);
  if (!status)
    status = read_table(&r);
  if (!status) {
    r.load = 1;
    status = read_table(&r);
    // Someone has changed the files since they were checked.
    context->initialized = !status;
  }
  close_index(&r);
  return status;
}

weir_status weir_model_restore(const weir_model *model, weir_context *context,
                               const char *path) {
  weir_status status = weir_checkpoint_begin(model, context, path);
  return status ? status
                : weir_end_call(context, restore_context(context, path));
}

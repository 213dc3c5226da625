// Restores the variables from a checkpoint, of which no byte is trusted.
//
// All is checked first and only then read, so that a checkpoint that is refused
// leaves the variables as they were. What the index holds lies in pages of the
// system's meanwhile; nothing is allocated.
//
// A tensor's elements come from one entry, or from slices, which stand in the
// index before the tensor itself. Either way a variable takes those that it
// holds: all, or those of its own slice. A checkpoint that several processes
// saved in parts, and nobody merged, is read part by part.

#include "runtime/checkpoint/restore.h"
#include "runtime/libc.h"

static weir_status read_table(weir_restorer *r) {
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
    return weir_damaged(r, "its index is malformed");
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
      return weir_damaged(r, "its index is malformed");
    begin = offset + size + WEIR_TRAILER_BYTES;
    r->key_bytes = 0;
    weir_status status = weir_read_entries(r, data);
    if (status)
      return status;
  }
  return r->header ? WEIR_OK : weir_damaged(r, "it has no header");
}

// Opens the index and reads it into pages.
static weir_status open_index(weir_restorer *r) {
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
  r->page_bytes = r->index_bytes + 2 * (size_t)WEIR_UNPACKED_MOST + WEIR_PIECE;
  void *pages = mmap(NULL, r->page_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (pages == (void *)-1)
    return WEIR_ERR_MEMORY;
  r->pages = pages;
  return weir_read_at(r->index, r->pages, r->index_bytes, 0) ? WEIR_OK
                                                             : WEIR_ERR_IO;
}

// The same, and what is wrong where that cannot be.
static weir_status begin_index(weir_restorer *r) {
  weir_status status = open_index(r);
  switch (status) {
  case WEIR_OK:
    return WEIR_OK;
  case WEIR_ERR_CHECKPOINT:
    return weir_damaged(r, "its index is not as large as one is");
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

static void close_index(weir_restorer *r) {
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
  weir_restorer r;
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

// Reads all parts of the checkpoint once.
static weir_status read_parts(weir_restorer *r, const char *path,
                              uint32_t parts) {
  char part_path[WEIR_PATH_BYTES];
  memset(r->done, 0, r->info->num_variables * sizeof *r->done);
  for (uint32_t part = 0; part < parts; ++part) {
    if (!weir_part_path(part_path, path, part))
      return WEIR_FAIL(r->context, WEIR_ERR_SIZE,
                       "the checkpoint's path is too long");
    r->path = part_path;
    weir_status status = begin_index(r);
    if (!status)
      status = read_table(r);
    close_index(r);
    if (status)
      return status;
  }
  r->path = path;
  for (uint32_t i = 0; i < r->info->num_variables; ++i) {
    if (!r->done[i].found)
      return weir_refuse(r, i, "is not in it");
    if (r->done[i].elements != (uint64_t)r->info->variables[i].elements)
      return weir_refuse_gap(r, i);
  }
  return WEIR_OK;
}

weir_status weir_open_restore(weir_restorer *r, weir_context *context,
                              const weir_slice *slices, const char *path) {
  memset(r, 0, sizeof *r);
  r->context = context;
  r->info = context->model->info;
  r->slices = slices;
  r->path = path;
  weir_crc_init(&r->crc);
  size_t table = r->info->num_variables * sizeof *r->done;
  r->done_bytes = table + r->info->state_bytes / 8 + 1;
  void *pages = mmap(NULL, r->done_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (pages == (void *)-1)
    return WEIR_FAIL(context, WEIR_ERR_MEMORY, "no memory to read checkpoint '",
                     path, "'");
  r->done = pages;
  r->taken = (uint8_t *)pages + table;
  return WEIR_OK;
}

void weir_close_restore(weir_restorer *r) {
  if (r->done)
    munmap(r->done, r->done_bytes);
}

weir_status weir_read_checkpoint(weir_restorer *r, int load) {
  const char *path = r->path;
  r->load = load;
  weir_status status = read_parts(r, path, weir_parts_of(path));
  r->path = path;
  return status;
}

static weir_status restore_context(weir_context *context, const char *path) {
  weir_restorer r;
  weir_status status =
      weir_open_restore(&r, context, context->model->slices, path);
  if (!status)
    status = weir_read_checkpoint(&r, /*load=*/0);
  if (!status) {
    status = weir_read_checkpoint(&r, /*load=*/1);
    // Someone has changed the files since they were checked.
    context->initialized = !status;
  }
  weir_close_restore(&r);
  return status;
}

weir_status weir_model_restore(const weir_model *model, weir_context *context,
                               const char *path) {
  weir_status status = weir_checkpoint_begin(model, context, path);
  return status ? status
                : weir_end_call(context, restore_context(context, path));
}

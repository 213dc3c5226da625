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

#include "runtime/checkpoint/index.h"
#include "runtime/libc.h"

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

int weir_sync_folder(const char *path) {
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
  // Some file systems have nothing to write for a folder, and refuse.
  int error = fsync(file) ? *__errno_location() : 0;
  close(file);
  *__errno_location() = error;
  return !error || error == EINVAL_;
}

// Where the path ends in `-?????-of-` and five digits; null where it does not.
static const char *pattern_in(const char *path) {
  // A star is a question mark: three of these are a trigraph's beginning.
  static const char pattern[] = "-*****-of-#####";
  size_t length = 0, size = sizeof pattern - 1;
  while (path[length])
    ++length;
  if (length < size)
    return NULL;
  const char *at = path + length - size;
  for (size_t i = 0; i < size; ++i) {
    char wanted = pattern[i] == '*' ? '?' : pattern[i];
    if (wanted == '#' ? at[i] < '0' || at[i] > '9' : at[i] != wanted)
      return NULL;
  }
  return at;
}

uint32_t weir_parts_of(const char *path) {
  const char *pattern = pattern_in(path);
  uint32_t parts = 0;
  for (int i = 10; pattern && i < 15; ++i)
    parts = parts * 10 + (uint32_t)(pattern[i] - '0');
  return parts ? parts : 1;
}

int weir_part_path(char to[WEIR_PATH_BYTES], const char *path, uint32_t part) {
  const char *pattern = pattern_in(path);
  if (!weir_path(to, path, ""))
    return 0;
  for (int i = 5; pattern && i > 0; --i, part /= 10)
    to[pattern - path + i] = (char)('0' + part % 10);
  return 1;
}

// A checkpoint on its way to the disk.
typedef struct saver {
  weir_context *context;
  weir_crc crc;
  weir_writer to;
  uint32_t before, shards; // of the old checkpoint, and of the new one
  char data[WEIR_PATH_BYTES], index[WEIR_PATH_BYTES], part[WEIR_PATH_BYTES];
} saver;

// A damaged index names none of so many files, or nothing is saved.
enum { NAMES_MOST = 3 };

int weir_data_path(char to[WEIR_PATH_BYTES], const char *path, uint32_t shard,
                   uint32_t shards) {
  char ending[32];
  weir_shard_ending(ending, shard, shards);
  return weir_path(to, path, ending);
}

// Begins the data, in a file that the old index does not name.
static int begin_data(saver *s, const char *path, int is_damaged) {
  if (!is_damaged) {
    s->shards = s->before == 1 ? 2 : 1;
    return weir_data_path(s->data, path, 0, s->shards) &&
           weir_begin_file(&s->to, &s->crc, s->data, O_TRUNC_);
  }
  for (s->shards = 1; s->shards <= NAMES_MOST; ++s->shards)
    if (weir_data_path(s->data, path, 0, s->shards) &&
        weir_begin_file(&s->to, &s->crc, s->data, O_EXCL_))
      return 1;
  return 0;
}

const char *weir_saved_bytes(weir_context *context, uint32_t index) {
  const weir_variable_info *variable = &context->model->info->variables[index];
  char *at = (char *)context->state + variable->offset;
  // A caller's bytes that a function assigned; readers want 0 or 1.
  for (size_t k = 0; variable->dtype == WEIR_BOOL && k < variable->bytes; ++k)
    at[k] = at[k] != 0;
  return at;
}

// Writes the variables' bytes and keeps their checksums in the room of `order`.
static int write_data(saver *s) {
  const weir_model_info *info = s->context->model->info;
  s->context->ordered = 0;
  for (uint32_t i = 0; i < info->num_variables; ++i) {
    const weir_variable_info *variable = &info->variables[i];
    const char *at = weir_saved_bytes(s->context, i);
    s->to.sum = 0;
    weir_put(&s->to, at, variable->bytes);
    s->context->order[i] = weir_crc_masked(s->to.sum);
  }
  return weir_end_file(&s->to);
}

// The new index takes the old one's place when all is on the disk. Of a failure
// nothing stays behind.
static int write_index(saver *s, const char *path) {
  int done = weir_begin_file(&s->to, &s->crc, s->part, O_TRUNC_);
  if (!done)
    return 0;
  weir_put_index(&s->to, s->context->model, s->context->order, s->shards);
  done = weir_end_file(&s->to) && weir_sync_folder(path);
  if (done && !rename(s->part, s->index))
    return 1;
  unlink(s->part);
  return 0;
}

weir_status weir_begin_save(weir_context *context, const weir_crc *crc,
                            const char *path, uint32_t *before,
                            int *is_damaged) {
  weir_status found = weir_shards_at(crc, path, before);
  *is_damaged = found == WEIR_ERR_CHECKPOINT;
  if (found && !*is_damaged)
    return WEIR_FAIL(context, found, "cannot write checkpoint '", path,
                     "': what it would replace cannot be read");
  // The index may have come by a rename that is not on the disk yet: the one
  // before it names the file that the new data go to.
  if (weir_sync_folder(path))
    return WEIR_OK;
  return WEIR_FAIL(context, WEIR_ERR_IO, "cannot write checkpoint '", path,
                   "'");
}

weir_status weir_end_save(weir_context *context, const char *path) {
  if (weir_sync_folder(path))
    return WEIR_OK;
  return WEIR_FAIL(context, WEIR_ERR_IO, "checkpoint '", path,
                   "' is written, but its folder may not be on the disk");
}

static weir_status save(saver *s, const char *path) {
  int is_damaged;
  weir_status status =
      weir_begin_save(s->context, &s->crc, path, &s->before, &is_damaged);
  if (status)
    return status;
  int done = begin_data(s, path, is_damaged);
  if (done && !(done = write_data(s) && write_index(s, path)))
    unlink(s->data);
  if (!done)
    return WEIR_FAIL(s->context, WEIR_ERR_IO, "cannot write checkpoint '", path,
                     "'");
  status = weir_end_save(s->context, path);
  for (uint32_t shard = 0; !status && shard < s->before; ++shard)
    if (weir_data_path(s->data, path, shard, s->before))
      unlink(s->data);
  return status;
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

weir_status weir_check_save(weir_context *context, const char *path,
                            char index[WEIR_PATH_BYTES],
                            char part[WEIR_PATH_BYTES]) {
  if (!context->initialized)
    return WEIR_FAIL(context, WEIR_ERR_UNINITIALIZED,
                     "there is nothing to save: the variables have no values "
                     "yet");
  if (weir_path(part, path, ".index.partial") &&
      weir_path(index, path, ".index"))
    return WEIR_OK;
  return WEIR_FAIL(context, WEIR_ERR_SIZE, "the checkpoint's path is too long");
}

static weir_status save_context(weir_context *context, const char *path) {
  saver s;
  s.context = context;
  weir_crc_init(&s.crc);
  weir_status status = weir_check_save(context, path, s.index, s.part);
  return status ? status : save(&s, path);
}

weir_status weir_model_save(const weir_model *model, weir_context *context,
                            const char *path) {
  weir_status status = weir_checkpoint_begin(model, context, path);
  return status ? status : weir_end_call(context, save_context(context, path));
}

// Saves the variables of all ranks as one checkpoint.
//
// Each rank writes its own file of data at once. When all of them are on the
// disk, rank 0 writes the index, which takes the old one's place by a rename.
// So whenever ranks or machines stop, the old checkpoint or the new one is
// whole. A file's name holds the number of files: the data of n ranks alternate
// between n and n + 1 (checkpoint.c has why).

#include "runtime/checkpoint/ranks.h"
#include "runtime/checkpoint/share.h"
#include "runtime/digits.h"
#include "runtime/libc.h"

enum {
  ROUND_BYTES = 1 << 26, // that a rank writes before it tells that it is alive
  NAMES_MOST = 3         // that are tried where the old index is damaged
};

typedef struct saver {
  const weir_mesh_model *model;
  weir_context *context;
  const weir_comm *comm;
  const char *path;
  weir_report *reports;
  weir_shares shares;
  uint32_t *sums; // this rank's, and then those of all
  size_t sums_bytes;
  uint32_t most;   // pieces of a rank
  uint32_t before; // the number of files of the old checkpoint
  int is_damaged;
  uint32_t num_shards;
  int is_open; // whether the file of data has to be closed
  int is_made; // whether it is to be removed where the save fails
  uint32_t variable;
  uint64_t done; // bytes of its piece
  weir_crc crc;
  weir_writer to;
  char data[WEIR_PATH_BYTES], index[WEIR_PATH_BYTES], part[WEIR_PATH_BYTES];
} saver;

// The error of a call as a text for people.
static weir_status fail_with(saver *s, int error) {
  static const struct {
    int number;
    const char *text;
  } known[] = {
      {2, "there is no such folder"},       {5, "the device fails"},
      {13, "it is not permitted"},          {24, "too many files are open"},
      {27, "the file would be too large"},  {28, "no space is left"},
      {30, "the file system is read-only"}, {122, "the quota is used up"}};
  const char *text = "";
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].number == error)
      text = known[i].text;
  char digits[WEIR_DIGITS];
  return WEIR_FAIL(s->context, WEIR_ERR_IO, "cannot write checkpoint '",
                   s->path, "': ", text, *text ? " " : "", "(errno ",
                   weir_digits(error, digits), ")");
}

static weir_status agree(saver *s, weir_status status, uint32_t number) {
  return weir_agree_on(s->context, s->reports, status, number);
}

static weir_status make_room(saver *s) {
  uint32_t ranks = s->model->mesh->info->ranks;
  if (!weir_share(&s->shares, s->model))
    return WEIR_ERR_MEMORY;
  for (uint32_t i = 0; i < ranks; ++i)
    if (s->shares.counts[i] > s->most)
      s->most = s->shares.counts[i];
  s->sums_bytes = ((size_t)ranks + 1) * s->most * sizeof *s->sums;
  void *pages = mmap(NULL, s->sums_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  s->sums = pages == (void *)-1 ? NULL : pages;
  return s->sums ? WEIR_OK : WEIR_ERR_MEMORY;
}

// Checks what there is, which rank 0 tells the others.
static weir_status begin(saver *s) {
  weir_status status = weir_check_dimensions(s->model, s->context);
  if (!status)
    status = weir_check_save(s->context, s->path, s->index, s->part);
  if (!status && (status = make_room(s)))
    WEIR_FAIL(s->context, status, "no memory to write checkpoint '", s->path,
              "'");
  if (!status && !s->comm->rank)
    status = weir_begin_save(s->context, &s->crc, s->path, &s->before,
                             &s->is_damaged);
  status = agree(s, status, s->is_damaged ? UINT32_MAX : s->before);
  s->is_damaged = s->reports[0].number == UINT32_MAX;
  s->before = s->is_damaged ? 0 : s->reports[0].number;
  return status;
}

// Begins this rank's file, which the old index does not name. `number` is 1 if
// a file of that name was there already.
static weir_status open_data(saver *s, uint32_t *number) {
  *number = 0;
  if (!weir_data_path(s->data, s->path, (uint32_t)s->comm->rank, s->num_shards))
    return WEIR_FAIL(s->context, WEIR_ERR_SIZE,
                     "the checkpoint's path is too long");
  s->is_open = s->is_made = weir_begin_file(&s->to, &s->crc, s->data,
                                            s->is_damaged ? O_EXCL_ : O_TRUNC_);
  if (s->is_open)
    return WEIR_OK;
  *number = s->to.error == EEXIST_;
  return fail_with(s, s->to.error);
}

static void discard_data(saver *s) {
  if (s->is_open)
    weir_end_file(&s->to);
  if (s->is_made)
    unlink(s->data);
  s->is_open = s->is_made = 0;
}

static weir_status begin_data(saver *s) {
  uint32_t ranks = s->model->mesh->info->ranks;
  s->num_shards = s->before == ranks ? ranks + 1 : ranks;
  for (int tries = 1;; ++tries, ++s->num_shards) {
    uint32_t was_there;
    weir_status status = open_data(s, &was_there);
    status = agree(s, status, was_there);
    int any = 0;
    for (uint32_t i = 0; i < ranks; ++i)
      any |= s->reports[i].number != 0;
    if (!status || status == WEIR_ERR_PEER || !any || tries == NAMES_MOST)
      return status;
    discard_data(s);
  }
}

// Puts the bytes of this rank's pieces, up to so many.
static void put_some(saver *s, uint64_t room) {
  const weir_model_info *info = s->model->model.info;
  for (; room && s->variable < info->num_variables; ++s->variable) {
    uint64_t bytes = info->variables[s->variable].bytes;
    uint32_t part = weir_part_of_rank(s->model, s->variable, s->comm->rank);
    const weir_piece *piece =
        &s->shares.pieces[s->shares.first[s->variable] + part];
    if (piece->writer != s->comm->rank)
      continue;
    const char *at = weir_saved_bytes(s->context, s->variable);
    uint64_t count = bytes - s->done < room ? bytes - s->done : room;
    if (!s->done)
      s->to.sum = 0;
    weir_put(&s->to, at + s->done, count);
    s->done += count;
    room -= count;
    if (s->done < bytes)
      return;
    s->sums[piece->number] = weir_crc_masked(s->to.sum);
    s->done = 0;
  }
}

// Writes the data in rounds, after each of which all ranks are known to be
// alive. In the end the data are on all disks.
static weir_status write_data(saver *s) {
  uint64_t longest = 0;
  for (uint32_t i = 0; i < s->model->mesh->info->ranks; ++i)
    if (s->shares.bytes[i] > longest)
      longest = s->shares.bytes[i];
  for (uint64_t round = 0;; ++round) {
    int is_last = longest <= (round + 1) * ROUND_BYTES;
    // Variables without bytes have checksums, too.
    put_some(s, is_last ? UINT64_MAX : ROUND_BYTES);
    int done = is_last ? weir_end_file(&s->to) : weir_sync_file(&s->to);
    int error = s->to.error;
    s->is_open = !is_last;
    if (is_last && done && !(done = weir_sync_folder(s->path)))
      error = *__errno_location();
    weir_status status = agree(s, done ? WEIR_OK : fail_with(s, error), 0);
    if (status || is_last)
      return status;
  }
}

static weir_status gather_sums(saver *s) {
  if (s->comm->gather(s->comm->user, s->sums, s->sums + s->most,
                      s->most * sizeof *s->sums))
    return weir_lose_ranks(s->context);
  return WEIR_OK;
}

// The new index takes the old one's place when all is on the disk. Of a failure
// nothing stays behind.
static weir_status write_index(saver *s) {
  if (!weir_begin_file(&s->to, &s->crc, s->part, O_TRUNC_))
    return fail_with(s, s->to.error);
  int fits = weir_put_shared_index(&s->to, &s->shares, s->sums + s->most,
                                   s->most, s->num_shards);
  int done = weir_end_file(&s->to), error = s->to.error;
  if (done && fits && weir_sync_folder(s->path) && !rename(s->part, s->index))
    return WEIR_OK;
  if (done)
    error = *__errno_location();
  unlink(s->part);
  return fits ? fail_with(s, error)
              : WEIR_FAIL(s->context, WEIR_ERR_SIZE,
                          "a variable's name is too long for a checkpoint");
}

// Removes the files of the old checkpoint, which no index names any more.
static void remove_old(saver *s) {
  uint32_t ranks = s->model->mesh->info->ranks;
  for (uint32_t shard = (uint32_t)s->comm->rank; shard < s->before;
       shard += ranks)
    if (weir_data_path(s->data, s->path, shard, s->before))
      unlink(s->data);
}

static weir_status save_ranks(saver *s) {
  weir_status status = begin(s);
  if (!status)
    status = begin_data(s);
  if (!status)
    status = write_data(s);
  if (!status)
    status = gather_sums(s);
  uint32_t is_renamed = 0;
  if (!status) {
    if (!s->comm->rank) {
      status = write_index(s);
      is_renamed = !status;
      if (!status)
        status = weir_end_save(s->context, s->path);
    }
    status = agree(s, status, is_renamed);
    is_renamed = s->reports[0].number;
  }
  // Rank 0 may have gone on where another one has lost it.
  if (status == WEIR_ERR_PEER || is_renamed)
    s->is_made = 0;
  if (status)
    discard_data(s);
  else
    remove_old(s);
  return status;
}

weir_status weir_mesh_save(const weir_mesh_model *model, weir_context *context,
                           const char *path) {
  weir_report *reports;
  weir_status status = weir_begin_ranks(model, context, path, &reports);
  if (status)
    return status;
  saver s;
  memset(&s, 0, sizeof s);
  s.model = model;
  s.context = context;
  s.comm = weir_ranks_in(context)->comm;
  s.path = path;
  s.reports = reports;
  weir_crc_init(&s.crc);
  status = save_ranks(&s);
  weir_free_shares(&s.shares);
  if (s.sums)
    munmap(s.sums, s.sums_bytes);
  return weir_end_ranks(context, reports, status);
}

// Plans of cuDNN on the disk: choosing one and compiling its kernels takes up
// to seconds, the more so as each process would do it again.
//
// A file has one plan, and is named after what it is for: the versions of cuDNN
// and of the driver, the device, and the row. It appears at once, by a
// rename. All it holds is doubted: a file that is not whole, or is for
// something else, counts as none, and no failure here is one of create.

#include "runtime/cuda/plans.h"
#include "runtime/libc.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 96 };
static const uint64_t most_bytes = 64 << 20;

// What a plan is for, without gaps between the fields.
typedef struct key {
  uint64_t dnn, driver, major, minor;
  char device[NAME_BYTES];
  uint64_t kind; // of the row
  union {
    weir_gpu_conv conv;
    weir_gpu_attention attention;
  } row;
} key;

typedef struct header {
  char magic[8];
  uint64_t plan_bytes; // after the key
  uint64_t sum;        // of the plan
} header;

static const char magic[8] = {'w', 'e', 'i', 'r', 'd', 'n', 'n', '2'};

typedef struct text {
  char at[PATH_BYTES];
  size_t used; // PATH_BYTES: it did not fit
} text;

static void add(text *to, const char *part) {
  for (; *part && to->used < PATH_BYTES; ++part)
    to->at[to->used++] = *part;
  if (to->used < PATH_BYTES)
    to->at[to->used] = 0;
}

// FNV-1a, of 64 bits.
static uint64_t sum_of(const void *bytes, size_t count) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (const unsigned char *at = bytes, *end = at + count; at != end; ++at)
    sum = (sum ^ *at) * 0x100000001b3u;
  return sum;
}

static int key_of(weir_gpu *gpu, const weir_dnn_row *row, key *to) {
  int32_t driver = 0, major = 0, minor = 0;
  const weir_cuda *cuda = &gpu->cuda;
  memset(to, 0, sizeof *to);
  if (cuda->cuDriverGetVersion(&driver) ||
      cuda->cuDeviceGetName(to->device, NAME_BYTES, gpu->device) ||
      cuda->cuDeviceGetAttribute(
          &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR_, gpu->device) ||
      cuda->cuDeviceGetAttribute(
          &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR_, gpu->device))
    return 0;
  to->dnn = gpu->dnn.cudnnGetVersion();
  to->driver = (uint64_t)driver;
  to->major = (uint64_t)major;
  to->minor = (uint64_t)minor;
  to->kind = row->attention != NULL;
  if (row->conv)
    to->row.conv = *row->conv;
  else
    to->row.attention = *row->attention;
  // Nothing of the name may stand behind its end.
  size_t end = 0;
  while (end < NAME_BYTES && to->device[end])
    ++end;
  memset(to->device + end, 0, NAME_BYTES - end);
  return 1;
}

// The folder; 0 where there is to be none.
static int folder_of(text *to) {
  to->used = 0;
  const char *own = secure_getenv("WEIR_CACHE_DIR");
  if (own) {
    add(to, own);
    return *own != 0;
  }
  const char *shared = secure_getenv("XDG_CACHE_HOME");
  if (shared && *shared == '/') { // others are to be ignored, it is specified
    add(to, shared);
    add(to, "/weir");
    return 1;
  }
  const char *home = secure_getenv("HOME");
  if (!home || *home != '/')
    return 0;
  add(to, home);
  add(to, "/.cache/weir");
  return 1;
}

// Where the plan for `of` lies; 0 where it cannot.
static int path_of(const key *of, text *to) {
  char name[] = "/cudnn-0123456789abcdef.plan";
  uint64_t sum = sum_of(of, sizeof *of);
  for (int i = 0; i < 16; ++i, sum >>= 4)
    name[7 + 15 - i] = "0123456789abcdef"[sum & 15];
  if (!folder_of(to))
    return 0;
  add(to, name);
  return to->used < PATH_BYTES;
}

static void *map(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ_ | PROT_WRITE_,
                  MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  return at == (void *)-1 ? NULL : at;
}

static int read_all(int file, char *to, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    long got = pread(file, to + at, bytes - at, (int64_t)at);
    if (got <= 0)
      return 0;
    at += (size_t)got;
  }
  return 1;
}

static int write_all(int file, const void *from, size_t bytes) {
  for (const char *at = from, *end = at + bytes; at != end;) {
    long put = write(file, at, (size_t)(end - at));
    if (put <= 0)
      return 0;
    at += put;
  }
  return 1;
}

// The plan's own text in a whole file; null: it is none, or for something else.
static const char *plan_in(const char *file, size_t bytes, const key *of,
                           size_t *plan_bytes) {
  const size_t before = sizeof(header) + sizeof(key);
  header head;
  memcpy(&head, file, sizeof head);
  *plan_bytes = bytes - before;
  if (memcmp(head.magic, magic, sizeof magic) != 0 ||
      head.plan_bytes != *plan_bytes ||
      memcmp(file + sizeof head, of, sizeof *of) != 0 ||
      sum_of(file + before, *plan_bytes) != head.sum)
    return NULL;
  return file + before;
}

// A plan of what cuDNN once said of one; null: cuDNN does not take it.
static weir_dnn_object made_of(weir_gpu *gpu, const weir_dnn_row *row,
                               const char *json, size_t bytes) {
  weir_dnn_object plan = NULL;
  const weir_dnn *dnn = &gpu->dnn;
  if (dnn->cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_, &plan))
    return NULL;
  if (!dnn->cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE_,
                                     CUDNN_TYPE_HANDLE_, 1, &gpu->dnn_handle) &&
      !dnn->cudnnBackendSetAttribute(
          plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION_,
          CUDNN_TYPE_CHAR_, (int64_t)bytes, json) &&
      !dnn->cudnnBackendFinalize(plan) && weir_dnn_fits(gpu, row, plan))
    return plan;
  dnn->cudnnBackendDestroyDescriptor(plan);
  return NULL;
}

int weir_dnn_recall(weir_gpu *gpu, const weir_dnn_row *row,
                    weir_gpu_dnn_plan *plan) {
  key of;
  text path;
  if (!key_of(gpu, row, &of) || !path_of(&of, &path))
    return 0;
  int file = open(path.at, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_);
  if (file < 0)
    return 0;
  int64_t end = lseek(file, 0, SEEK_END_);
  size_t bytes = (size_t)end, plan_bytes;
  char *whole = end > (int64_t)(sizeof(header) + sizeof(key)) &&
                        (uint64_t)end <= most_bytes
                    ? map(bytes)
                    : NULL;
  if (whole && read_all(file, whole, bytes)) {
    const char *json = plan_in(whole, bytes, &of, &plan_bytes);
    if (json)
      plan->plan = made_of(gpu, row, json, plan_bytes);
  }
  if (whole)
    munmap(whole, bytes);
  close(file);
  return plan->plan != NULL;
}

// Makes the folders of a path that are not there.
static void make_folders(text *path) {
  for (size_t i = 1; i < path->used; ++i)
    if (path->at[i] == '/') {
      path->at[i] = 0;
      mkdir(path->at, 0700);
      path->at[i] = '/';
    }
}

static void keep_text(const text *path, const text *beside, const key *of,
                      const char *json, size_t bytes) {
  header head = {{0}, bytes, sum_of(json, bytes)};
  memcpy(head.magic, magic, sizeof magic);
  // A name that is taken is another thread's or process's, which does the same.
  int file =
      open(beside->at, O_WRONLY_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_, 0600);
  if (file < 0)
    return;
  int whole = write_all(file, &head, sizeof head) &&
              write_all(file, of, sizeof *of) && write_all(file, json, bytes);
  whole &= !close(file);
  if (!whole || rename(beside->at, path->at))
    unlink(beside->at);
}

void weir_dnn_keep(weir_gpu *gpu, const weir_dnn_row *row,
                   const weir_gpu_dnn_plan *plan) {
  key of;
  text path, beside;
  weir_gpu_number process, context;
  int64_t bytes = 0, count = 0;
  const weir_dnn *dnn = &gpu->dnn;
  if (!key_of(gpu, row, &of) || !path_of(&of, &path))
    return;
  beside.used = 0;
  add(&beside, path.at);
  add(&beside, ".");
  add(&beside, weir_gpu_decimal(&process, (uint32_t)getpid()));
  add(&beside, ".");
  add(&beside, weir_gpu_decimal(&context, (uintptr_t)gpu));
  if (beside.used == PATH_BYTES ||
      dnn->cudnnBackendGetAttribute(
          plan->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION_,
          CUDNN_TYPE_CHAR_, 0, &bytes, NULL) ||
      bytes <= 0 || (uint64_t)bytes > most_bytes - sizeof(header) - sizeof(key))
    return;
  char *json = map((size_t)bytes);
  if (!json)
    return;
  if (!dnn->cudnnBackendGetAttribute(
          plan->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION_,
          CUDNN_TYPE_CHAR_, bytes, &count, json) &&
      count > 0 && count <= bytes) {
    make_folders(&path);
    keep_text(&path, &beside, &of, json, (size_t)count);
  }
  munmap(json, (size_t)bytes);
}

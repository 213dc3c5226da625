// A stand-in for the CUDA driver's libcuda.so.1, for machines without a GPU.
//
// It records each call in order, holds device memory in the host's, captures
// graphs and replays them, and refuses what a driver refuses: memory that is
// not allocated, no current context, calls that a capture does not allow,
// launches beyond a device's limits. It runs no PTX: a kernel does nothing
// unless a library with its code for this processor is given.
//
// The environment says what it is:
//   WEIR_CUDA_LOG      file for the calls, one a line
//   WEIR_CUDA_SM       compute capability, 10 * major + minor (90)
//   WEIR_CUDA_DEVICES  how many GPUs (1)
//   WEIR_CUDA_FAIL     N: the N-th call, from 1, fails; or NAME:N:CODE: the
//   N-th
//                      call of that function fails with that error
//   WEIR_CUDA_KERNELS  a library that has, for a kernel K,
//                      void K__cpu(gx, gy, gz, bx, by, bz, shared, void **args)
//                      or weir_gpu_launch of runtime/sim/sim.h, for the kernels
//                      in the order in which they are looked up
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  UNKNOWN = 999
};

typedef uint64_t address;
typedef struct block {
  struct block *next;
  address at;
  size_t bytes;
  int pinned;
} block;

enum { max_params = 64 };
typedef struct function {
  char name[256];
  uint32_t number; // in its module, by when it was looked up
  int num_params;  // -1: not known
  size_t param_bytes[max_params];
  long max_shared;
} function;

typedef struct module {
  const char *image;
  int is_text;
  uint32_t functions;
} module;

typedef struct node {
  struct node *next;
  enum { COPY, SET8, SET32, LAUNCH, CALLBACK } kind;
  void (*callback)(void *); // on arg_bytes
  char *to;
  const char *from;
  size_t count;
  uint32_t value;
  function *of;
  uint32_t grid[3], threads[3], shared;
  void *args[max_params + 1];
  char *arg_bytes;
} node;

typedef struct graph {
  node *head, **tail;
  int nodes;
} graph;

typedef struct stream {
  graph *capture;
} stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static block *blocks;
static long calls, live_objects;
static __thread int current; // contexts pushed by this thread
static long name_calls;

static long number_of(const char *name, long by_default) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : by_default;
}

static void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&lock);
  if (!file) {
    const char *path = getenv("WEIR_CUDA_LOG");
    file = fopen(path ? path : "/dev/null", "w");
    if (!file)
      abort();
    setvbuf(file, NULL, _IOLBF, 0);
  }
  vfprintf(file, format, list);
  fputc('\n', file);
  pthread_mutex_unlock(&lock);
  va_end(list);
}

// Whether this call is the one that is to fail: its error, or OK.
static int planned(const char *name) {
  const char *plan = getenv("WEIR_CUDA_FAIL");
  pthread_mutex_lock(&lock);
  ++calls;
  int error = OK;
  if (plan && *plan >= '0' && *plan <= '9') {
    error = calls == atol(plan) ? UNKNOWN : OK;
  } else if (plan && *plan) {
    size_t length = strcspn(plan, ":");
    if (strlen(name) == length && !strncmp(name, plan, length)) {
      const char *nth = plan + length + (plan[length] == ':');
      const char *code = nth + strcspn(nth, ":");
      if (++name_calls == (*nth ? atol(nth) : 1))
        error = *code ? atoi(code + 1) : UNKNOWN;
    }
  }
  pthread_mutex_unlock(&lock);
  if (error)
    note("%s fails with %d", name, error);
  return error;
}

#define CALL                                                                   \
  do {                                                                         \
    int error_ = planned(__func__);                                            \
    if (error_)                                                                \
      return error_;                                                           \
  } while (0)
#define CALL_IN_CONTEXT                                                        \
  do {                                                                         \
    CALL;                                                                      \
    if (!current) {                                                            \
      note("%s without a current context", __func__);                          \
      return INVALID_CONTEXT;                                                  \
    }                                                                          \
  } while (0)

static __thread long capturing; // how many streams, by this thread
#define CALL_OUTSIDE_CAPTURE                                                   \
  do {                                                                         \
    CALL_IN_CONTEXT;                                                           \
    if (capturing) {                                                           \
      note("%s during a capture", __func__);                                   \
      return CAPTURE_UNSUPPORTED;                                              \
    }                                                                          \
  } while (0)

// -- Devices and contexts.

int cuInit(uint32_t flags) {
  CALL;
  note("cuInit %u", flags);
  return number_of("WEIR_CUDA_DEVICES", 1) ? OK : NO_DEVICE;
}

int cuGetErrorName(int error, const char **name) {
  switch (error) {
  case OUT_OF_MEMORY:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return OK;
  case ILLEGAL_ADDRESS:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return OK;
  case INVALID_IMAGE:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    return OK;
  case NOT_FOUND:
    *name = "CUDA_ERROR_NOT_FOUND";
    return OK;
  case UNKNOWN:
    *name = "CUDA_ERROR_UNKNOWN";
    return OK;
  }
  *name = NULL;
  return INVALID_VALUE;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : "refused by the stand-in";
  return OK;
}

int cuDriverGetVersion(int *version) {
  CALL;
  *version = 12040;
  return OK;
}

int cuDeviceGetCount(int *count) {
  CALL;
  *count = (int)number_of("WEIR_CUDA_DEVICES", 1);
  return OK;
}

int cuDeviceGet(int *device, int ordinal) {
  CALL;
  note("cuDeviceGet %d", ordinal);
  *device = ordinal;
  return ordinal < number_of("WEIR_CUDA_DEVICES", 1) ? OK : INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  CALL;
  snprintf(name, (size_t)bytes, "Stand-in %d", device);
  return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  CALL;
  long sm = number_of("WEIR_CUDA_SM", 90);
  *value = attribute == 75   ? (int)(sm / 10)
           : attribute == 76 ? (int)(sm % 10)
                             : 0;
  return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALL;
  note("cuDevicePrimaryCtxRetain %d", device);
  pthread_mutex_lock(&lock);
  ++live_objects;
  pthread_mutex_unlock(&lock);
  *context = (void *)(intptr_t)(16 * (device + 1));
  return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  CALL;
  note("cuDevicePrimaryCtxRelease %d", device);
  pthread_mutex_lock(&lock);
  --live_objects;
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuCtxPushCurrent_v2(void *context) {
  CALL;
  if (!context)
    return INVALID_CONTEXT;
  ++current;
  return OK;
}

int cuCtxPopCurrent_v2(void **context) {
  CALL_IN_CONTEXT;
  *context = (void *)16;
  --current;
  return OK;
}

// -- Memory.

static int allocate(address *at, size_t bytes, int pinned) {
  if (!bytes)
    return INVALID_VALUE;
  size_t whole = (bytes + 511) & ~(size_t)511;
  block *made = malloc(sizeof *made);
  void *memory = whole < bytes ? NULL : aligned_alloc(512, whole);
  if (!made || !memory)
    return OUT_OF_MEMORY;
  memset(memory, 0xcd, bytes);
  pthread_mutex_lock(&lock);
  *made = (block){blocks, (address)memory, bytes, pinned};
  blocks = made;
  pthread_mutex_unlock(&lock);
  *at = (address)memory;
  return OK;
}

static int release(address at) {
  pthread_mutex_lock(&lock);
  for (block **b = &blocks; *b; b = &(*b)->next)
    if ((*b)->at == at) {
      block *gone = *b;
      *b = gone->next;
      pthread_mutex_unlock(&lock);
      free((void *)at);
      free(gone);
      return OK;
    }
  pthread_mutex_unlock(&lock);
  return INVALID_VALUE;
}

static int is_within(address at, size_t bytes, int pinned) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (block *b = blocks; b && !found; b = b->next)
    found = b->pinned == pinned && at >= b->at && at - b->at <= b->bytes &&
            bytes <= b->bytes - (at - b->at);
  pthread_mutex_unlock(&lock);
  return found;
}

int cuMemAlloc_v2(address *at, size_t bytes) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemAlloc %zu", bytes);
  return allocate(at, bytes, 0);
}

int cuMemHostAlloc(void **at, size_t bytes, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  (void)flags;
  note("cuMemHostAlloc %zu", bytes);
  return allocate((address *)at, bytes, 1);
}

int cuMemFree_v2(address at) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemFree");
  return release(at);
}

int cuMemFreeHost(void *at) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemFreeHost");
  return release((address)at);
}

// -- Work: done at once, or recorded.

typedef void kernel(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                    uint32_t, void **);

typedef int32_t simulator(void *, uint32_t, uint32_t, uint32_t, uint32_t,
                          uint32_t, uint32_t, uint32_t, uint32_t, void **,
                          uint32_t);
enum { SIMULATOR_BYTES = 32 << 20 };

static void *kernels(void) {
  static void *library;
  const char *path = getenv("WEIR_CUDA_KERNELS");
  if (!path || !*path)
    return NULL;
  pthread_mutex_lock(&lock);
  if (!library && !(library = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
  pthread_mutex_unlock(&lock);
  return library;
}

static void compute(const node *n) {
  void *library = kernels();
  if (!library || n->of->num_params < 0)
    return;
  char symbol[300];
  snprintf(symbol, sizeof symbol, "%s__cpu", n->of->name);
  kernel *code;
  simulator *launch;
  *(void **)&code = dlsym(library, symbol);
  *(void **)&launch = dlsym(library, "weir_gpu_launch");
  if (code) {
    code(n->grid[0], n->grid[1], n->grid[2], n->threads[0], n->threads[1],
         n->threads[2], n->shared, (void **)n->args);
  } else if (launch) {
    void *state = aligned_alloc(64, SIMULATOR_BYTES);
    memset(state, 0, 64);
    if (launch(state, n->of->number, n->grid[0], n->grid[1], n->grid[2],
               n->threads[0], n->threads[1], n->threads[2], n->shared,
               (void **)n->args, (uint32_t)n->of->num_params))
      abort();
    free(state);
  }
}

static void perform(const node *n) {
  switch (n->kind) {
  case COPY:
    memmove(n->to, n->from, n->count);
    break;
  case SET8:
    memset(n->to, (int)n->value, n->count);
    break;
  case SET32:
    for (size_t i = 0; i < n->count; ++i)
      memcpy(n->to + 4 * i, &n->value, 4);
    break;
  case LAUNCH:
    compute(n);
    break;
  case CALLBACK:
    n->callback(n->arg_bytes);
    break;
  }
}

static int issue(stream *to, const node *work) {
  if (!to || !to->capture) {
    perform(work);
    return OK;
  }
  node *kept = malloc(sizeof *kept);
  *kept = *work;
  if (work->kind == LAUNCH) {
    size_t total = 0, at = 0;
    for (int i = 0; i < work->of->num_params; ++i)
      total += (work->of->param_bytes[i] + 7) & ~(size_t)7;
    kept->arg_bytes = malloc(total + 1);
    for (int i = 0; i < work->of->num_params; ++i) {
      kept->args[i] = kept->arg_bytes + at;
      memcpy(kept->args[i], work->args[i], work->of->param_bytes[i]);
      at += (work->of->param_bytes[i] + 7) & ~(size_t)7;
    }
  }
  if (work->kind == CALLBACK) {
    kept->arg_bytes = malloc(work->count);
    memcpy(kept->arg_bytes, work->arg_bytes, work->count);
  }
  kept->next = NULL;
  *to->capture->tail = kept;
  to->capture->tail = &kept->next;
  ++to->capture->nodes;
  return OK;
}

static const char *how(const stream *to) {
  return to && to->capture ? "captured " : "";
}

static int copy(stream *on, const char *name, char *to, int to_host,
                const char *from, int from_host, size_t bytes) {
  note("%s%s %zu", how(on), name, bytes);
  if (!is_within((address)to, bytes, to_host) ||
      !is_within((address)from, bytes, from_host)) {
    note("%s of memory that is not allocated", name);
    return ILLEGAL_ADDRESS;
  }
  node work = {.kind = COPY, .to = to, .from = from, .count = bytes};
  return issue(on, &work);
}

int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemcpyHtoD %zu", bytes);
  if (!is_within(to, bytes, 0))
    return ILLEGAL_ADDRESS;
  memcpy((void *)to, from, bytes);
  return OK;
}

int cuMemcpyDtoH_v2(void *to, address from, size_t bytes) {
  CALL_OUTSIDE_CAPTURE;
  note("cuMemcpyDtoH %zu", bytes);
  if (!is_within(from, bytes, 0))
    return ILLEGAL_ADDRESS;
  memcpy(to, (const void *)from, bytes);
  return OK;
}

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes,
                         stream *on) {
  CALL_IN_CONTEXT;
  return copy(on, "cuMemcpyHtoDAsync", (char *)to, 0, from, 1, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, stream *on) {
  CALL_IN_CONTEXT;
  return copy(on, "cuMemcpyDtoHAsync", to, 1, (const char *)from, 0, bytes);
}

int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, stream *on) {
  CALL_IN_CONTEXT;
  return copy(on, "cuMemcpyDtoDAsync", (char *)to, 0, (const char *)from, 0,
              bytes);
}

static int set(stream *on, const char *name, node work, size_t width) {
  note("%s%s %#x %zu", how(on), name, work.value, work.count);
  if ((address)work.to % width ||
      !is_within((address)work.to, work.count * width, 0)) {
    note("%s of memory that is not allocated", name);
    return ILLEGAL_ADDRESS;
  }
  return issue(on, &work);
}

int cuMemsetD8Async(address at, unsigned char value, size_t count, stream *on) {
  CALL_IN_CONTEXT;
  node work = {.kind = SET8, .to = (char *)at, .count = count, .value = value};
  return set(on, "cuMemsetD8Async", work, 1);
}

int cuMemsetD32Async(address at, uint32_t value, size_t count, stream *on) {
  CALL_IN_CONTEXT;
  node work = {.kind = SET32, .to = (char *)at, .count = count, .value = value};
  return set(on, "cuMemsetD32Async", work, 4);
}

int cuLaunchKernel(function *of, uint32_t gx, uint32_t gy, uint32_t gz,
                   uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared,
                   stream *on, void **args, void **extra) {
  CALL_IN_CONTEXT;
  (void)extra;
  note("%scuLaunchKernel %s grid %ux%ux%u block %ux%ux%u shared %u", how(on),
       of->name, gx, gy, gz, bx, by, bz, shared);
  if (!gx || !gy || !gz || !bx || !by || !bz || gx > 0x7fffffffu ||
      gy > 65535 || gz > 65535 || bx > 1024 || by > 1024 || bz > 64 ||
      (uint64_t)bx * by * bz > 1024 || (long)shared > of->max_shared) {
    note("cuLaunchKernel beyond the device's limits");
    return INVALID_VALUE;
  }
  node work = {.kind = LAUNCH,
               .of = of,
               .grid = {gx, gy, gz},
               .threads = {bx, by, bz},
               .shared = shared};
  for (int i = 0; i < of->num_params; ++i)
    work.args[i] = args[i];
  return issue(on, &work);
}

// -- For stand-ins of libraries that work on streams (cublaslt.c).

int weir_cuda_planned(const char *name) { return planned(name); }

void weir_cuda_note(const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  note("%s", text);
}

void weir_cuda_count(long objects) {
  pthread_mutex_lock(&lock);
  live_objects += objects;
  pthread_mutex_unlock(&lock);
}

int weir_cuda_issue(stream *on, void (*callback)(void *), const void *data,
                    size_t bytes) {
  node work = {.kind = CALLBACK,
               .callback = callback,
               .arg_bytes = (char *)(uintptr_t)data,
               .count = bytes};
  return issue(on, &work);
}

// -- Code.

static size_t width_of(const char *type) {
  while (*type >= 'a' && *type <= 'z')
    ++type;
  return (size_t)atol(type) / 8;
}

// The parameters of `.entry NAME(`, up to its `)`: `.param .u64 NAME_param_0`
// or
// `.param .align 64 .b8 NAME_param_0[128]`.
static int read_params(function *of, const char *at) {
  const char *end = strchr(at, ')');
  of->num_params = 0;
  while (end && (at = strstr(at, ".param ")) && at < end) {
    if (of->num_params == max_params)
      return -1;
    size_t bytes = 0;
    for (at += 7; *at == '.' || (*at >= '0' && *at <= '9');) {
      if (*at == '.' && strncmp(at, ".align", 6) && strncmp(at, ".ptr", 4) &&
          strncmp(at, ".global", 7))
        bytes = width_of(at + 1);
      at += strcspn(at, " ");
      at += strspn(at, " ");
    }
    size_t length = strcspn(at, "[,)\n");
    if (at[length] == '[')
      bytes *= (size_t)atol(at + length + 1);
    of->param_bytes[of->num_params++] = bytes;
    at += length;
  }
  return end ? 0 : -1;
}

int cuModuleLoadDataEx(module **made, const void *image, uint32_t count,
                       int *options, void **values) {
  CALL_OUTSIDE_CAPTURE;
  const char *text = image;
  int is_text = strncmp(text, "\177ELF", 4) != 0;
  note("cuModuleLoadDataEx %s", is_text ? "ptx" : "cubin");
  if (is_text && !strstr(text, ".version")) {
    for (uint32_t i = 0; i < count; ++i)
      if (options[i] == 5)
        strcpy(values[i], "ptxas fatal: no .version\n");
    return INVALID_IMAGE;
  }
  *made = malloc(sizeof **made);
  **made = (module){text, is_text, 0};
  pthread_mutex_lock(&lock);
  ++live_objects;
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuModuleUnload(module *gone) {
  CALL_OUTSIDE_CAPTURE;
  note("cuModuleUnload");
  free(gone);
  pthread_mutex_lock(&lock);
  --live_objects;
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuModuleGetFunction(function **made, module *in, const char *name) {
  CALL_OUTSIDE_CAPTURE;
  note("cuModuleGetFunction %s", name);
  function *of = calloc(1, sizeof *of);
  snprintf(of->name, sizeof of->name, "%s", name);
  of->number = in->functions++;
  of->max_shared = 48 << 10;
  of->num_params = -1;
  if (in->is_text) {
    char entry[300];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(in->image, entry);
    if (!at || read_params(of, at)) {
      free(of);
      return NOT_FOUND;
    }
  }
  // A function lasts as long as its module; the few of a test may stay.
  *made = of;
  return OK;
}

int cuFuncSetAttribute(function *of, int attribute, int value) {
  CALL_OUTSIDE_CAPTURE;
  note("cuFuncSetAttribute %s %d %d", of->name, attribute, value);
  if (attribute != 8 || value > 227 << 10)
    return INVALID_VALUE;
  of->max_shared = value;
  return OK;
}

int cuFuncLoad(function *of) {
  CALL_OUTSIDE_CAPTURE;
  note("cuFuncLoad %s", of->name);
  return OK;
}

// -- Streams, events and graphs.

static int make(void **made, size_t bytes) {
  *made = calloc(1, bytes);
  pthread_mutex_lock(&lock);
  ++live_objects;
  pthread_mutex_unlock(&lock);
  return *made ? OK : OUT_OF_MEMORY;
}

static int unmake(void *gone) {
  free(gone);
  pthread_mutex_lock(&lock);
  --live_objects;
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuStreamCreate(void **made, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  note("cuStreamCreate %u", flags);
  return make(made, sizeof(stream));
}

int cuStreamDestroy_v2(void *gone) {
  CALL_IN_CONTEXT;
  note("cuStreamDestroy");
  return unmake(gone);
}

int cuStreamSynchronize(stream *of) {
  CALL_IN_CONTEXT;
  note("cuStreamSynchronize");
  return of && of->capture ? CAPTURE_UNSUPPORTED : OK;
}

int cuStreamWaitEvent(stream *of, void *event, uint32_t flags) {
  CALL_IN_CONTEXT;
  (void)of, (void)event, (void)flags;
  note("cuStreamWaitEvent");
  return OK;
}

int cuEventCreate(void **made, uint32_t flags) {
  CALL_OUTSIDE_CAPTURE;
  note("cuEventCreate %u", flags);
  return make(made, 8);
}

int cuEventDestroy_v2(void *gone) {
  CALL_IN_CONTEXT;
  note("cuEventDestroy");
  return unmake(gone);
}

int cuEventRecord(void *event, stream *on) {
  CALL_IN_CONTEXT;
  (void)event, (void)on;
  note("cuEventRecord");
  return OK;
}

int cuEventSynchronize(void *event) {
  CALL_IN_CONTEXT;
  (void)event;
  note("cuEventSynchronize");
  return OK;
}

static void free_graph(graph *gone) {
  for (node *n = gone->head; n;) {
    node *next = n->next;
    free(n->arg_bytes);
    free(n);
    n = next;
  }
  unmake(gone);
}

int cuStreamBeginCapture_v2(stream *of, int mode) {
  CALL_OUTSIDE_CAPTURE;
  note("cuStreamBeginCapture %d", mode);
  void *made;
  make(&made, sizeof(graph));
  of->capture = made;
  of->capture->tail = &of->capture->head;
  ++capturing;
  return OK;
}

int cuStreamEndCapture(stream *of, graph **made) {
  int error = planned(__func__);
  if (!of->capture)
    return INVALID_VALUE;
  --capturing;
  if (error) {
    free_graph(of->capture);
    of->capture = NULL;
    return error;
  }
  note("cuStreamEndCapture %d nodes", of->capture->nodes);
  *made = of->capture;
  of->capture = NULL;
  return OK;
}

int cuGraphInstantiateWithFlags(graph **made, graph *of, uint64_t flags) {
  CALL_OUTSIDE_CAPTURE;
  (void)flags;
  note("cuGraphInstantiate");
  void *copied;
  make(&copied, sizeof(graph));
  *made = copied;
  // What is recorded is the executable's from now on.
  **made = *of;
  of->head = NULL;
  return OK;
}

int cuGraphUpload(graph *of, stream *on) {
  CALL_OUTSIDE_CAPTURE;
  (void)of, (void)on;
  note("cuGraphUpload");
  return OK;
}

int cuGraphLaunch(graph *of, stream *on) {
  CALL_IN_CONTEXT;
  (void)on;
  note("cuGraphLaunch %d nodes", of->nodes);
  for (const node *n = of->head; n; n = n->next)
    perform(n);
  return OK;
}

int cuGraphExecDestroy(graph *gone) {
  CALL_IN_CONTEXT;
  note("cuGraphExecDestroy");
  free_graph(gone);
  return OK;
}

int cuGraphDestroy(graph *gone) {
  CALL_IN_CONTEXT;
  free_graph(gone);
  return OK;
}

// What a program has left behind.
__attribute__((destructor)) static void end(void) {
  long left = 0;
  for (const block *b = blocks; b; b = b->next)
    ++left;
  note("end: %ld calls, %ld blocks and %ld handles left", calls, left,
       live_objects);
}

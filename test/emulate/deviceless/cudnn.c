// cuDNN without a GPU: forwards to the libcudnn.so.9 of this machine, with a
// description of a device, WEIR_CUDNN_DEVICE, instead of a handle. Plans are
// made as on that device; their execution does nothing.
//
// WEIR_CUDNN_LOG gets a line for each plan, and for each refusal by cuDNN
// except for its own proposals.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The names are in cudnn_graph.h.
enum { HEURISTIC = 4, PLAN = 5, DEVICE = 38, KEPT = 1 << 16 };
enum { HEURISTIC_DEVICE = 204, PLAN_HANDLE = 400, PLAN_DEVICE = 407 };
enum { DEVICE_TEXT = 2702, TYPE_HANDLE = 0, DESCRIPTOR = 15, CHAR = 24 };

static void *device;
static struct {
  void *at;
  int type;
} made[KEPT];
static int num_made;

static void *find(const char *name) {
  static void *library;
  if (!library && !(library = dlopen("libcudnn.so.9", RTLD_NOW))) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
  return dlsym(library, name);
}

static void note(const char *what, int type, int status) {
  static FILE *log;
  static void (*last)(char *, size_t);
  char text[1024] = "";
  if (!log && !(log = fopen(getenv("WEIR_CUDNN_LOG"), "w")))
    abort();
  if (!last)
    *(void **)&last = find("cudnnGetLastErrorString");
  if (status)
    last(text, sizeof text);
  fprintf(log, "%s %d %d %s\n", what, type, status, text);
  fflush(log);
}

static int make(int type, void **to) {
  static int (*call)(int, void **);
  if (!call)
    *(void **)&call = find("cudnnBackendCreateDescriptor");
  int status = call(type, to);
  if (num_made < KEPT) {
    made[num_made].at = *to;
    made[num_made++].type = type;
  }
  return status;
}

static int set(void *to, int attribute, int type, int64_t count,
               const void *elements) {
  static int (*call)(void *, int, int, int64_t, const void *);
  if (!call)
    *(void **)&call = find("cudnnBackendSetAttribute");
  return call(to, attribute, type, count, elements);
}

// The last one with that address, which may have been used again.
static int type_of(const void *of) {
  for (int i = num_made; i-- > 0;)
    if (made[i].at == of)
      return made[i].type;
  return -1;
}

size_t cudnnGetVersion(void) {
  size_t (*call)(void);
  *(void **)&call = find("cudnnGetVersion");
  return call();
}

const char *cudnnGetErrorString(int status) {
  const char *(*call)(int);
  *(void **)&call = find("cudnnGetErrorString");
  return call(status);
}

int cudnnBackendFinalize(void *of) {
  static int (*call)(void *);
  if (!call)
    *(void **)&call = find("cudnnBackendFinalize");
  int status = call(of), type = type_of(of);
  if (type == PLAN ? !status : status)
    note("finalize", type, status);
  return status;
}

int cudnnCreate(void **handle) {
  static char text[1 << 16];
  FILE *file = fopen(getenv("WEIR_CUDNN_DEVICE"), "r");
  if (!file)
    abort();
  int64_t bytes = (int64_t)fread(text, 1, sizeof text, file);
  fclose(file);
  *handle = text;
  int status = make(DEVICE, &device);
  if (!status)
    status = set(device, DEVICE_TEXT, CHAR, bytes, text);
  return status ? status : cudnnBackendFinalize(device);
}

int cudnnDestroy(void *handle) {
  (void)handle;
  return 0;
}

int cudnnSetStream(void *handle, void *stream) {
  (void)handle, (void)stream;
  return 0;
}

int cudnnBackendCreateDescriptor(int type, void **to) {
  int status = make(type, to);
  if (!status && type == HEURISTIC)
    status = set(*to, HEURISTIC_DEVICE, DESCRIPTOR, 1, &device);
  return status;
}

int cudnnBackendDestroyDescriptor(void *gone) {
  static int (*call)(void *);
  if (!call)
    *(void **)&call = find("cudnnBackendDestroyDescriptor");
  return call(gone);
}

int cudnnBackendSetAttribute(void *to, int attribute, int type, int64_t count,
                             const void *elements) {
  if (type == TYPE_HANDLE && attribute == PLAN_HANDLE)
    return set(to, PLAN_DEVICE, DESCRIPTOR, 1, &device);
  if (type == TYPE_HANDLE)
    return 0;
  int status = set(to, attribute, type, count, elements);
  if (status)
    note("set", attribute, status);
  return status;
}

int cudnnBackendGetAttribute(void *of, int attribute, int type, int64_t room,
                             int64_t *count, void *to) {
  static int (*call)(void *, int, int, int64_t, int64_t *, void *);
  if (!call)
    *(void **)&call = find("cudnnBackendGetAttribute");
  int status = call(of, attribute, type, room, count, to);
  if (status)
    note("get", attribute, status);
  return status;
}

int cudnnBackendExecute(void *handle, void *plan, void *pack) {
  (void)handle, (void)plan, (void)pack;
  return 0;
}

// The work of streams: executed at once, or recorded.

#define _GNU_SOURCE
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void kernel(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                    uint32_t, void **);

typedef int32_t simulator(void *, uint32_t, uint32_t, uint32_t, uint32_t,
                          uint32_t, uint32_t, uint32_t, uint32_t, void **,
                          uint32_t);
// The simulator's state, with shared memory and stacks for the largest block
// (runtime/sim).
enum { SIMULATOR_BYTES = 65 << 20 };

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

void perform(const node *n, const stream *on) {
  enum { LAUNCH_NS = 4000, OTHER_NS = 1000 };
  if (n->kind == LAUNCH)
    spend((uint64_t)LAUNCH_NS * (n->of->number + 1));
  else if (n->kind != RECORD)
    spend(OTHER_NS);
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
  case HOST:
    n->callback(n->to);
    break;
  case CALLBACK:
    n->callback(n->arg_bytes);
    break;
  case RECORD:
    stamp(n->record, on);
    break;
  }
}

int issue(stream *to, const node *work) {
  if (!to || !to->capture) {
    perform(work, to);
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

// Unpinned host memory may be read if nothing is recorded: the driver reads it
// before the call returns.
static int copy(stream *on, const char *name, char *to, int to_host,
                const char *from, int from_host, size_t bytes) {
  note("%s%s %zu", how(on), name, bytes);
  if (!is_within((address)to, bytes, to_host) ||
      !(is_within((address)from, bytes, from_host) ||
        (from_host && !(on && on->capture)))) {
    note("%s of memory that is not allocated", name);
    return ILLEGAL_ADDRESS;
  }
  node work = {.kind = COPY, .to = to, .from = from, .count = bytes};
  return issue(on, &work);
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

int cuLaunchHostFunc(stream *on, void (*code)(void *), void *data) {
  CALL_IN_CONTEXT;
  note("%scuLaunchHostFunc", how(on));
  if (!code)
    return INVALID_VALUE;
  node work = {.kind = HOST, .callback = code, .to = data};
  return issue(on, &work);
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

// Calls the model of test/compiler/emit/gpu.mlir in the way that the argument
// selects.
#define _GNU_SOURCE
#include "affine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The tensors have 16 bytes, but only the alignment of their elements.
static float plenty[9];
static float *const x = plenty + 1, *const y = plenty + 5;

static void show(weir_status status, const affine_ctx *net, const float *at) {
  printf("%d: %g %g %g %g %s\n", status, at[0], at[1], at[2], at[3],
         status ? affine_last_error(net) : "");
}

static int start(affine_ctx **net, uint32_t device) {
  char message[1024] = "nothing said";
  weir_config config = WEIR_CONFIG_INIT;
  config.device = device;
  config.message = message;
  config.message_bytes = sizeof message;
  weir_status status = affine_create(NULL, &config, net);
  printf("create: %d %s%s%s\n", status, affine_status_text(status),
         *message ? ": " : "", message);
  return status;
}

static void set(float *at, float first) {
  for (int i = 0; i < 4; ++i)
    at[i] = first + (float)i;
}

static int runs(void) {
  affine_ctx *net;
  int status = start(&net, 0);
  if (status)
    return 2;
  for (int i = 1; i >= -1; --i) {
    set(x, (float)i);
    status = affine_step(net, x, y);
    show(status, net, y);
  }
  int32_t n = 3;
  set(x, 0);
  status = affine_repeat(net, x, &n, y);
  show(status, net, y);
  set(x, -1);
  status = affine_repeat(net, x, &n, y);
  show(status, net, y);
  set(x, 1);
  status = affine_step(net, x, y);
  show(status, net, y);
  affine_destroy(net);
  return status ? 2 : 0;
}

static int misuse(void) {
  affine_ctx *net;
  if (start(&net, 0))
    return 2;
  show(affine_step(net, NULL, y), net, y);
  show(affine_step(net, x, (float *)((char *)y + 1)), net, y);
  show(affine_step(net, x, x + 1), net, y);
  show(affine_gpu()->run_device(net, 7, NULL, 0, NULL), net, y);
  printf("%s\n", affine_status_text(affine_step(NULL, x, y)));
  affine_destroy(net);
  printf("%s\n", affine_status_text(affine_step(net, x, y)));
  printf("%s\n", affine_last_error(NULL));
  static char memory[AFFINE_CTX_BYTES] __attribute__((aligned(64)));
  weir_config config = WEIR_CONFIG_INIT;
  printf("%s\n", affine_status_text(affine_create(memory + 8, NULL, &net)));
  printf("%s\n", affine_status_text(affine_create(memory, NULL, NULL)));
  config.abi_version = 1;
  printf("%s\n", affine_status_text(affine_create(memory, &config, &net)));
  weir_status status = affine_create(memory, NULL, &net);
  show(status ? status : affine_step(net, x, y), net, y);
  affine_destroy(net);
  return 0;
}

// The tensors are in the device's memory, by the stand-in for the driver.
static int device(void) {
  affine_ctx *net;
  if (start(&net, 0))
    return 2;
  void *driver = dlopen(getenv("WEIR_LIBCUDA"), RTLD_NOW);
  int (*push)(void *), (*alloc)(void *, size_t), (*give)(void *);
  *(void **)&push = dlsym(driver, "cuCtxPushCurrent_v2");
  *(void **)&alloc = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&give = dlsym(driver, "cuMemFree_v2");
  float *dx, *dy, out[4];
  if (push((void *)16) || alloc(&dx, 16) || alloc(&dy, 16))
    return 2;
  for (int i = 1; i >= -1; i -= 2) {
    set(dx, (float)i);
    printf("issued: %d\n", affine_step_device(net, dx, dy, NULL));
    weir_status status = affine_wait(net);
    memcpy(out, dy, sizeof out);
    show(status, net, out);
  }
  // Tensors in the context's own memory are not copied.
  float *own_x = affine_gpu()->tensor(net, 0, 0);
  float *own_y = affine_gpu()->tensor(net, 0, 1);
  set(own_x, 2);
  printf("own: %d\n", affine_step_device(net, own_x, own_y, NULL));
  show(affine_wait(net), net, own_y);
  printf("%d\n",
         affine_gpu()->tensor(net, 0, 2) || affine_gpu()->tensor(net, 2, 0));
  // Two runs on the device follow each other, then a run of host tensors. It
  // discards the earlier results that were not waited for.
  set(dx, -1);
  affine_step_device(net, dx, dy, NULL);
  affine_step_device(net, dx, dy, NULL);
  set(x, 1);
  show(affine_step(net, x, y), net, y);
  show(affine_wait(net), net, y);
  show(affine_step_device(net, dx, dx, NULL), net, out);
  give(dx);
  give(dy);
  affine_destroy(net);
  return 0;
}

static void *one_of_many(void *argument) {
  affine_ctx *net;
  long wrong = 0;
  if (affine_create(NULL, NULL, &net))
    return (void *)1;
  for (int i = 0; i < 200; ++i) {
    float in[4], out[4];
    set(in, (float)(i + *(int *)argument));
    wrong += affine_step(net, in, out) != WEIR_OK;
    for (int k = 0; k < 4; ++k)
      wrong += out[k] != in[k] * (float)(k + 1) + 0.5f;
  }
  affine_destroy(net);
  return (void *)wrong;
}

static int many(void) {
  pthread_t threads[4];
  int first[4];
  long wrong = 0;
  for (int i = 0; i < 4; ++i) {
    first[i] = 1000 * i;
    pthread_create(&threads[i], NULL, one_of_many, &first[i]);
  }
  for (int i = 0; i < 4; ++i) {
    void *its;
    pthread_join(threads[i], &its);
    wrong += (long)its;
  }
  printf("%ld wrong\n", wrong);
  return 0;
}

static int create(uint32_t which) {
  affine_ctx *net;
  if (start(&net, which))
    return 2;
  affine_destroy(net);
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "runs"))
    return runs();
  if (!strcmp(how, "misuse"))
    return misuse();
  if (!strcmp(how, "device"))
    return device();
  if (!strcmp(how, "many"))
    return many();
  return create((uint32_t)atoi(how));
}

/* Counts the allocations of a model: they occur in create, never in a run, and
 * destroy frees all. */
#include "affine.h"

#include <stdio.h>
#include <stdlib.h>

static long allocated, freed, fail_at = -1;

/* The linker redirects the model's calls to these functions (-Wl,--wrap). */
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  if (fail_at >= 0 && fail_at-- == 0)
    return NULL;
  ++allocated;
  return __real_aligned_alloc(align, bytes);
}
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
  ++allocated;
  return __real_malloc(bytes);
}
void __real_free(void *memory);
void __wrap_free(void *memory) {
  freed += memory != NULL;
  __real_free(memory);
}

static void say(const char *when) {
  printf("%s: %ld allocated, %ld freed\n", when, allocated, freed);
}

int main(void) {
  affine_ctx *net;
  float x[4] = {1, 2, 3, 4}, y[4];
  _Alignas(64) static char memory[AFFINE_CTX_BYTES], arena[AFFINE_ARENA_BYTES];
  weir_config config = WEIR_CONFIG_INIT;
  if (affine_create(NULL, NULL, &net))
    return 1;
  say("create");
  long before = allocated;
  for (int i = 0; i < 1000; ++i)
    if (affine_run(net, x, y))
      return 2;
  x[0] = -1;
  if (!affine_run(net, x, y) || !affine_last_error(net)[0])
    return 3;
  printf("runs: %ld allocated\n", allocated - before);
  affine_destroy(net);
  say("destroy");
  /* Each failed allocation is a status, and the memory before it is freed. */
  for (int n = 0;; ++n) {
    fail_at = n;
    weir_status status = affine_create(NULL, NULL, &net);
    fail_at = -1;
    if (status == WEIR_OK)
      break;
    if (status != WEIR_ERR_MEMORY || net || allocated != freed)
      return 5;
    printf("failure of allocation %d: %s\n", n, affine_status_text(status));
  }
  affine_destroy(net);
  allocated = freed = 0;
  config.arena = arena;
  config.arena_bytes = sizeof arena;
  if (affine_create(memory, &config, &net))
    return 4;
  affine_destroy(net);
  say("the caller's memory");
  return 0;
}

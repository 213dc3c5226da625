/* Every misuse of the interface returns a status; its text names the tensor. */
#include "affine.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const char *what, weir_status got, weir_status want,
                   const affine_ctx *net, const char *text) {
  const char *said = net ? affine_last_error(net) : affine_status_text(got);
  if (got == want && strstr(said, text))
    return;
  printf("%s: status %d, not %d; '%s'\n", what, (int)got, (int)want, said);
  ++failures;
}

static void none(void *user, int tasks, void (*fn)(void *, int), void *data) {
  (void)user, (void)tasks, (void)fn, (void)data;
}

int main(void) {
  affine_ctx *net = NULL, *other = NULL;
  _Alignas(64) static char memory[2 * AFFINE_CTX_BYTES];
  _Alignas(64) static char arena[AFFINE_ARENA_BYTES + 64];
  _Alignas(64) static char bytes[64];
  float x[8] = {1, 2, 3, 4}, y[4];
  weir_threads threads = {NULL, 2, NULL};
  const weir_config fresh = WEIR_CONFIG_INIT;
  weir_config config = fresh;

  expect("no place for the context", affine_create(NULL, NULL, NULL),
         WEIR_ERR_NULL, NULL, "null");
  expect("crooked context", affine_create(memory + 8, NULL, &net),
         WEIR_ERR_ALIGNMENT, NULL, "aligned");
  config.abi_version = 0;
  expect("zeroed configuration", affine_create(NULL, &config, &net),
         WEIR_ERR_VERSION, NULL, "version");
  config = fresh;
  config.arena = arena + 4;
  config.arena_bytes = AFFINE_ARENA_BYTES;
  expect("crooked arena", affine_create(NULL, &config, &net),
         WEIR_ERR_ALIGNMENT, NULL, "aligned");
  config.arena = arena;
  config.arena_bytes = AFFINE_ARENA_BYTES - 1;
  expect("small arena", affine_create(NULL, &config, &net), WEIR_ERR_SIZE, NULL,
         "size");
  threads.parallel_for = none;
  config = fresh;
  config.weights = bytes + 1;
  expect("crooked weights", affine_create(NULL, &config, &net),
         WEIR_ERR_ALIGNMENT, NULL, "aligned");
  config = fresh;
  config.weights_path = "/nowhere/x.weights";
  expect("weights twice", affine_create(NULL, &config, &net), WEIR_ERR_WEIGHTS,
         NULL, "weights");
  config.weights_path = "/tmp";
  if (affine_create(NULL, &config, &net) == WEIR_OK)
    ++failures, puts("a folder as weights");
  if (net)
    ++failures, puts("a failing create gave a context");

  expect("run without context", affine_run(NULL, x, y), WEIR_ERR_NULL, NULL,
         "");
  memset(memory, 0, sizeof memory);
  expect("run of no context", affine_run((affine_ctx *)(void *)memory, x, y),
         WEIR_ERR_CONTEXT, NULL, "context");
  if (!strstr(affine_last_error(NULL), "context"))
    ++failures, puts("text of no context");
  config = fresh;
  config.arena = arena;
  config.arena_bytes = sizeof arena;
  config.threads = &threads;
  expect("create", affine_create(memory, &config, &net), WEIR_OK, NULL, "");
  expect("null input", affine_run(net, NULL, y), WEIR_ERR_NULL, net,
         "tensor 'x' is null");
  expect("null output", affine_run(net, x, NULL), WEIR_ERR_NULL, net,
         "tensor 'y' is null");
  expect("crooked input", affine_run(net, (float *)(void *)(bytes + 2), y),
         WEIR_ERR_ALIGNMENT, net, "tensor 'x' is not aligned");
  expect("crooked output", affine_run(net, x, (float *)(void *)(bytes + 1)),
         WEIR_ERR_ALIGNMENT, net, "tensor 'y' is not aligned");
  expect("in place", affine_run(net, x, x), WEIR_ERR_OVERLAP, net,
         "output 'y' overlaps input 'x'");
  expect("overlap by one", affine_run(net, x, x + 3), WEIR_ERR_OVERLAP, net,
         "overlaps");
  expect("side by side", affine_run(net, x, x + 4), WEIR_OK, net, "");
  expect("in the arena", affine_run(net, x, (float *)(void *)arena),
         WEIR_ERR_OVERLAP, net, "overlaps the arena");

  const weir_model_info *info = affine_info();
  void *tensors[2] = {x, y};
  expect("no such function", info->run(net, 7, tensors, 2), WEIR_ERR_SIZE, net,
         "no such function");
  expect("wrong count", info->run(net, 0, tensors, 1), WEIR_ERR_SIZE, net,
         "another number of tensors");
  expect("no list", info->run(net, 0, NULL, 2), WEIR_ERR_NULL, net, "list");
  expect("generic run", info->run(net, 0, tensors, 2), WEIR_OK, net, "");
  expect("a second context",
         affine_create(memory + AFFINE_CTX_BYTES, NULL, &other), WEIR_OK, NULL,
         "");
  affine_destroy(net);
  affine_destroy(net); /* in the caller's memory a second time does nothing */
  expect("run after destroy", affine_run(net, x, y), WEIR_ERR_CONTEXT, NULL,
         "context");
  expect("the other lives", affine_run(other, x, y), WEIR_OK, other, "");
  affine_destroy(other);
  affine_destroy(NULL);
  printf("%d failures\n", failures);
  return failures != 0;
}

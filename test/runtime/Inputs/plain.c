/* Tests the runtime without a compiler, with a table in C. The test covers code
 * that a compiled model cannot reach, with sanitizers. */
#include "runtime/abi.h"

#include <stdio.h>
#include <string.h>

static int failures, answer;

static void check(int good, const char *what) {
  if (!good)
    ++failures, puts(what);
}

static int32_t entry(void *arena, const void *weights, void *const *tensors,
                     const weir_team *team, void *state) {
  (void)team, (void)state;
  memset(arena, 1, 100);
  *(double *)tensors[2] = *(const int8_t *)tensors[0] + *(const float *)weights;
  return answer;
}

static const int64_t none[] = {0};
static const weir_tensor_info inputs[] = {
    {"a", "a:0", WEIR_I8, 0, NULL, 1, 1, -1, NULL, NULL, 0, NULL},
    {"empty", "empty:0", WEIR_F16, 1, none, 0, 0, -1, NULL, NULL, 0, NULL}};
static const weir_tensor_info outputs[] = {{"out\n\x1b[2J", "out:0", WEIR_F64,
                                            0, NULL, 1, 8, -1, NULL, NULL, 0,
                                            NULL}};
static const weir_function_info function = {"f", "f", 2, 1, inputs, outputs};
static weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                               .num_functions = 1,
                               .functions = &function,
                               .arena_bytes = 5 << 20,
                               .weights_bytes = 8,
                               .num_levels = 2};
static weir_entry *const entries[] = {entry};
static const char *const checks[] = {"node 'n' failed"};
static weir_level levels[2] = {{NULL, {0}}, {entries, {0}}};
static weir_model model = {&info, levels, checks, 1,   NULL,
                           77,    NULL,   NULL,   NULL};

static void write_weights(const char *path, uint64_t hash, size_t bytes) {
  weir_weights_header header = {"", 8, hash, {0}};
  float weights[4] = {0.5f};
  FILE *file = fopen(path, "wb");
  memcpy(header.magic, "weirwts1", 8);
  fwrite(&header, sizeof header, 1, file);
  fwrite(weights, 1, bytes, file);
  fclose(file);
}

static weir_status create(const char *path, weir_context **net) {
  weir_config config = WEIR_CONFIG_INIT;
  config.weights_path = path;
  return weir_model_create(&model, NULL, &config, net);
}

int main(int argc, char **argv) {
  weir_context *net = NULL;
  int8_t a = 3;
  double out = 0;
  void *tensors[3] = {&a, NULL, &out};
  if (argc != 3)
    return 2;
  info.context_bytes = (weir_context_bytes + 12 + 63) / 64 * 64;
  check(weir_model_create(&model, NULL, NULL, &net) == WEIR_ERR_WEIGHTS,
        "weights of a file must be given");
  write_weights(argv[2], 78, 8);
  check(create(argv[2], &net) == WEIR_ERR_WEIGHTS, "another model's weights");
  write_weights(argv[2], 77, 9);
  check(create(argv[2], &net) == WEIR_ERR_WEIGHTS, "weights of another size");
  write_weights(argv[1], 77, 8);
  levels[0].cpu[4] = 1; // an unused cpuid bit that is never set
  levels[1].cpu[4] = 1;
  check(create(argv[1], &net) == WEIR_ERR_TARGET, "a processor that is not");
  levels[1].cpu[4] = 0;
  weir_config config = WEIR_CONFIG_INIT;
  for (config.level = 1; config.level < 4; config.level += 2)
    check(weir_model_create(&model, NULL, &config, &net) == WEIR_ERR_TARGET,
          "a level that this processor has not, or that there is not");
  check(create(argv[1], &net) == WEIR_OK, "the right weights");
  check(!weir_model_run(&model, net, 0, tensors, 3) && out == 3.5,
        "an empty tensor may be null");
  answer = 1;
  check(weir_model_run(&model, net, 0, tensors, 3) == WEIR_ERR_CHECK &&
            !strcmp(weir_model_last_error(&model, net), checks[0]),
        "a check that fails is named");
  answer = 2;
  check(weir_model_run(&model, net, 0, tensors, 3) == WEIR_ERR_CHECK,
        "a check out of range");
  answer = 0;
  tensors[2] = NULL;
  check(weir_model_run(&model, net, 0, tensors, 3) == WEIR_ERR_NULL &&
            !strcmp(weir_model_last_error(&model, net),
                    "tensor 'out  [2J' is null"),
        "a name is made harmless");
  weir_model_destroy(&model, net);
  info.arena_bytes = SIZE_MAX - 7;
  check(create(argv[1], &net) == WEIR_ERR_MEMORY && !net, "an absurd arena");
  for (int status = -1; status < 14; ++status)
    check(weir_status_text((weir_status)status)[0] != 0,
          "a status without text");
  printf("%d failures\n", failures);
  return failures != 0;
}

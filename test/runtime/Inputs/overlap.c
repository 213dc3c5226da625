/* Compares the check of overlaps with one that compares all pairs. */
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12, MANY = 2000, MOST = 300000, SPAN = 96 };

static char memory[64 * MOST];
static void *tensors[MOST];
static weir_tensor_info infos[MOST];
static weir_function_info function;
static weir_model_info info = {.functions = &function};
static const weir_model model = {.info = &info};
static int failures;

static uint32_t number(uint32_t below) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static int touch(uint32_t i, uint32_t j) {
  const char *x = tensors[i], *y = tensors[j];
  return infos[i].bytes && infos[j].bytes && x < y + infos[j].bytes &&
         y < x + infos[i].bytes;
}

static int each_with_each(void) {
  for (uint32_t i = function.num_inputs;
       i < function.num_inputs + function.num_outputs; ++i)
    for (uint32_t j = 0; j < i; ++j)
      if (touch(i, j))
        return 1;
  return 0;
}

static weir_context *context_of(uint32_t inputs, uint32_t outputs) {
  function =
      (weir_function_info){"f", "f", inputs, outputs, infos, infos + inputs};
  weir_context *context =
      calloc(1, sizeof(weir_context) + sizeof(uint32_t) * (inputs + outputs));
  if (!context)
    exit(2);
  context->model = &model;
  return context;
}

static void expect(weir_context *context, weir_status wanted,
                   const char *what) {
  if (weir_check_overlap(context, 0, tensors) != wanted)
    ++failures, puts(what);
}

static void few(void) {
  int found[2] = {0, 0};
  for (int round = 0; round < 20000; ++round) {
    uint32_t inputs = number(4), outputs = number(FEW - 4);
    weir_context *context = context_of(inputs, outputs);
    /* The order of one run is the first guess of the next. */
    for (int again = 0; again < 3; ++again) {
      for (uint32_t i = 0; i < inputs + outputs; ++i) {
        tensors[i] = memory + number(SPAN);
        infos[i] = (weir_tensor_info){.name = "t", .bytes = number(9)};
      }
      int wanted = each_with_each();
      ++found[wanted];
      expect(context, wanted ? WEIR_ERR_OVERLAP : WEIR_OK, "few tensors");
    }
    free(context);
  }
  if (!found[0] || !found[1])
    ++failures, puts("the few tensors are all alike");
}

/* Outputs are in ascending, descending and random order, without and with an
 * overlap. */
static void many(uint32_t outputs) {
  weir_context *context = context_of(2, outputs);
  uint32_t count = outputs + 2;
  for (int shape = 0; shape < 3; ++shape) {
    for (uint32_t i = 0; i < count; ++i) {
      tensors[i] = memory + 64 * (size_t)(shape == 1 ? count - 1 - i : i);
      infos[i] = (weir_tensor_info){.name = "t", .bytes = 64};
    }
    for (uint32_t i = count; shape == 2 && i-- > 1;) {
      uint32_t j = number(i + 1);
      void *other = tensors[i];
      tensors[i] = tensors[j];
      tensors[j] = other;
    }
    expect(context, WEIR_OK, "many side by side");
    uint32_t one = 2 + number(outputs);
    infos[one].bytes = 65;
    int isLast = (char *)tensors[one] == memory + 64 * (size_t)(count - 1);
    expect(context, isLast ? WEIR_OK : WEIR_ERR_OVERLAP, "one of many");
    infos[one].bytes = 64;
  }
  free(context);
}

int main(void) {
  few();
  many(MANY);
  many(MOST - 2);
  printf("%d failures\n", failures);
  return failures != 0;
}

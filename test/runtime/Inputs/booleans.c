/* The bytes of Booleans are arbitrary: every byte except 0 is true. */
#include "booleans.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };

static int failures;

static void check(int good, const char *what, int i) {
  if (!good && ++failures < 10)
    printf("%s of %d is wrong\n", what, i);
}

int main(void) {
  static weir_bool c[COUNT], inverse[COUNT];
  static float x[COUNT], chosen[COUNT];
  static int32_t number[COUNT];
  static int64_t place[COUNT], shape[2];
  weir_bool every, some;
  const weir_model_info *info = booleans_info();
  void *tensors[9] = {0};
  const weir_function_info *f = &info->functions[0];
  static const char *const names[] = {"c",      "x",     "inverse",
                                      "number", "place", "shape",
                                      "chosen", "every", "some"};
  void *const all[] = {c,     x,      inverse, number, place,
                       shape, chosen, &every,  &some};
  uint32_t count = f->num_inputs + f->num_outputs;
  for (uint32_t i = 0; i < count && count == 9; ++i) {
    const char *name = i < f->num_inputs ? f->inputs[i].name
                                         : f->outputs[i - f->num_inputs].name;
    for (int k = 0; k < 9; ++k)
      if (strstr(name, names[k]) == name || (k == 5 && strstr(name, "shape")))
        tensors[i] = all[k];
  }
  int64_t trues = 0;
  for (int i = 0; i < COUNT; ++i) {
    c[i] = (weir_bool)(i * 37);
    x[i] = (float)(i + 1);
    trues += c[i] != 0;
  }
  booleans_ctx *net;
  if (booleans_create(NULL, NULL, &net) || info->run(net, 0, tensors, count))
    return 1;
  for (int i = 0; i < COUNT; ++i) {
    check(inverse[i] == !c[i], "the inverse", i);
    check(number[i] == !!c[i], "the number", i);
    check(chosen[i] == (c[i] ? x[i] : 0), "the choice", i);
  }
  check(shape[0] == trues, "the count", (int)trues);
  for (int i = 0, k = 0; i < COUNT; ++i)
    if (c[i])
      check(place[k++] == i, "the place", i);
  check(!every && some, "all and any", 0);
  booleans_destroy(net);
  printf("%d failures\n", failures);
  return failures != 0;
}

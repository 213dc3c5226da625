// Whether an output shares memory with another tensor or the arena: kernels
// read inputs after they have begun to write outputs. The tensors are visited
// in the order of their addresses, which the context keeps from run to run, as
// callers mostly give the same ones again.

#include "runtime/abi.h"
#include "runtime/libc.h"

static int overlap(const void *a, size_t a_bytes, const void *b,
                   size_t b_bytes) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

static const weir_tensor_info *info_of(const weir_function_info *function,
                                       uint32_t i) {
  return i < function->num_inputs
             ? &function->inputs[i]
             : &function->outputs[i - function->num_inputs];
}

// Heapsort: in place, and n log n whatever the order was.
static void sift(uint32_t *order, uint32_t at, uint32_t count,
                 void *const *tensors) {
  uint32_t moved = order[at];
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count &&
        (uintptr_t)tensors[order[child]] < (uintptr_t)tensors[order[child + 1]])
      ++child;
    if ((uintptr_t)tensors[order[child]] <= (uintptr_t)tensors[moved])
      break;
    order[at] = order[child];
  }
  order[at] = moved;
}

static void sort(uint32_t *order, uint32_t count, void *const *tensors) {
  uint32_t sorted = 1;
  while (sorted < count && (uintptr_t)tensors[order[sorted - 1]] <=
                               (uintptr_t)tensors[order[sorted]])
    ++sorted;
  if (sorted >= count)
    return;
  for (uint32_t at = count / 2; at-- > 0;)
    sift(order, at, count, tensors);
  for (uint32_t last = count; --last > 0;) {
    uint32_t largest = order[0];
    order[0] = order[last];
    order[last] = largest;
    sift(order, 0, last, tensors);
  }
}

static weir_status refuse(weir_context *context,
                          const weir_function_info *function, uint32_t i,
                          uint32_t other) {
  // The later one: an output, as inputs come first.
  uint32_t output = i > other ? i : other, with = i > other ? other : i;
  return WEIR_FAIL(context, WEIR_ERR_OVERLAP, "output '",
                   info_of(function, output)->name, "' overlaps ",
                   with < function->num_inputs ? "input '" : "output '",
                   info_of(function, with)->name, "'");
}

weir_status weir_check_overlap(weir_context *context, uint32_t which,
                               void *const *tensors) {
  const weir_model_info *model = context->model->info;
  const weir_function_info *function = &model->functions[which];
  uint32_t inputs = function->num_inputs;
  uint32_t count = inputs + function->num_outputs;
  for (uint32_t i = inputs; i < count; ++i)
    if (info_of(function, i)->bytes && model->arena_bytes &&
        overlap(tensors[i], info_of(function, i)->bytes, context->arena,
                model->arena_bytes))
      return WEIR_FAIL(context, WEIR_ERR_OVERLAP, "output '",
                       info_of(function, i)->name, "' overlaps the arena");
  for (uint32_t i = 0; context->state && i < count; ++i)
    if (info_of(function, i)->bytes &&
        overlap(tensors[i], info_of(function, i)->bytes, context->state,
                model->state_bytes))
      return WEIR_FAIL(context, WEIR_ERR_OVERLAP, "tensor '",
                       info_of(function, i)->name, "' overlaps the variables");
  uint32_t *order = context->order;
  if (context->ordered != (uint64_t)which + 1) {
    context->ordered = (uint64_t)which + 1;
    for (uint32_t i = 0; i < count; ++i)
      order[i] = i;
  }
  sort(order, count, tensors);
  // Of the inputs and outputs that begin before, those that reach furthest.
  uint32_t furthest[2] = {0, 0};
  int seen[2] = {0, 0};
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t i = order[k];
    int is_output = i >= inputs;
    size_t bytes = info_of(function, i)->bytes;
    uintptr_t at = (uintptr_t)tensors[i];
    if (!bytes)
      continue;
    for (int other = !is_output; other < 2; ++other)
      if (seen[other] &&
          overlap(tensors[furthest[other]],
                  info_of(function, furthest[other])->bytes, tensors[i], bytes))
        return refuse(context, function, i, furthest[other]);
    uint32_t last = furthest[is_output];
    if (!seen[is_output] ||
        (uintptr_t)tensors[last] + info_of(function, last)->bytes < at + bytes)
      furthest[is_output] = i;
    seen[is_output] = 1;
  }
  return WEIR_OK;
}

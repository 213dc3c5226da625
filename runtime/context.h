// The parts of create and of run that do not ask where the code runs. They are
// inlined where they are used: a model for a processor is no larger for them.
#ifndef WEIR_RUNTIME_CONTEXT_H
#define WEIR_RUNTIME_CONTEXT_H

#include "runtime/abi.h"
#include "runtime/call.h"
#include "runtime/libc.h"

static const uint64_t live = 0x7478657472696577;    // "weirtext" in memory
static const size_t largest_page = (size_t)1 << 16; // of any target's
static int aligned(const void *p, size_t to) { return !((uintptr_t)p % to); }

WEIR_PART int weir_context_alive(const weir_model *model,
                                 const weir_context *context) {
  return context && aligned(context, sizeof(void *)) &&
         context->magic == live && context->model == model;
}

static size_t element_bytes(weir_dtype dtype) {
  switch (dtype) {
  case WEIR_F16:
  case WEIR_BF16:
  case WEIR_I16:
  case WEIR_U16:
    return 2;
  case WEIR_F32:
  case WEIR_I32:
  case WEIR_U32:
    return 4;
  case WEIR_F64:
  case WEIR_I64:
  case WEIR_U64:
    return 8;
  default:
    return 1;
  }
}

// Tells a create's caller why it failed.
WEIR_PART void weir_tell(const weir_config *config, const char *text) {
  if (!config || !config->message || !config->message_bytes)
    return;
  uint32_t at = 0;
  for (; at + 1 < config->message_bytes && text[at]; ++at)
    config->message[at] = text[at];
  config->message[at] = 0;
}

// Has the system read a file's large weights in large pages, of which a run
// needs few, where it does not hold them yet; they stay so for the next
// process. Of 4 MB one large page at least is whole, wherever they begin.
WEIR_PART void weir_advise_weights(const void *weights, uint64_t bytes) {
  uintptr_t at = (uintptr_t)weights;
  uintptr_t first = (at + largest_page - 1) / largest_page * largest_page;
  uintptr_t end = (at + bytes) / largest_page * largest_page;
  if (bytes >= 1 << 22)
    madvise((void *)first, end - first, MADV_HUGEPAGE_);
}

// Sets context->weights to where they lie in the host's memory.
WEIR_PART weir_status weir_find_weights(weir_context *context,
                                        const weir_config *config) {
  const weir_model *model = context->model;
  if (!model->info->weights_bytes)
    return WEIR_OK;
  if (config && config->weights) {
    context->weights = config->weights;
    return aligned(config->weights, WEIR_ALIGN) ? WEIR_OK : WEIR_ERR_ALIGNMENT;
  }
  if (config && config->weights_path)
    return weir_weights_map(context, config->weights_path);
  if (!model->weights)
    return WEIR_ERR_WEIGHTS;
  context->weights = *model->weights;
  weir_advise_weights(context->weights, model->info->weights_bytes);
  return WEIR_OK;
}

// The best code that runs here, or what is wanted of it; null: there is none.
static const weir_level *find_level(const weir_model *model, uint32_t wanted) {
  for (uint32_t i = 0; i < model->info->num_levels; ++i)
    if ((!wanted || wanted == i + 1) && weir_cpu_has(model->levels[i].cpu))
      return &model->levels[i];
  return NULL;
}

// Checks the configuration, chooses the code for this processor and makes a
// context of it in `memory`, or on the heap, with neither arena nor weights.
WEIR_PART weir_status weir_context_begin(const weir_model *model, void *memory,
                                         const weir_config *config,
                                         weir_context **out) {
  if (config && config->abi_version != WEIR_ABI_VERSION)
    return WEIR_ERR_VERSION;
  if (memory && !aligned(memory, WEIR_ALIGN))
    return WEIR_ERR_ALIGNMENT;
  const weir_level *level = find_level(model, config ? config->level : 0);
  if (!level)
    return WEIR_ERR_TARGET;
  weir_context *context = memory;
  if (!context)
    context = aligned_alloc(WEIR_ALIGN, model->info->context_bytes);
  if (!context)
    return WEIR_ERR_MEMORY;
  memset(context, 0, sizeof *context);
  context->magic = live;
  context->model = model;
  context->entries = level->entries;
  context->own_context = memory ? NULL : context;
  *out = context;
  return WEIR_OK;
}

static weir_status check_tensor(weir_context *context,
                                const weir_tensor_info *info, const void *at) {
  if (!info->bytes)
    return WEIR_OK;
  if (!at)
    return WEIR_FAIL(context, WEIR_ERR_NULL, "tensor '", info->name,
                     "' is null");
  if (!aligned(at, element_bytes(info->dtype)))
    return WEIR_FAIL(context, WEIR_ERR_ALIGNMENT, "tensor '", info->name,
                     "' is not aligned for its elements");
  return WEIR_OK;
}

// Whether a function may run on these tensors; clears the last failure.
WEIR_PART weir_status weir_check_call(weir_context *context, uint32_t which,
                                      void *const *tensors,
                                      uint32_t num_tensors) {
  const weir_model *model = context->model;
  context->message[0] = 0;
  if (which >= model->info->num_functions)
    return WEIR_FAIL(context, WEIR_ERR_SIZE, "the model has no such function");
  const weir_function_info *function = &model->info->functions[which];
  if (num_tensors != function->num_inputs + function->num_outputs)
    return WEIR_FAIL(context, WEIR_ERR_SIZE, "function '", function->name,
                     "' takes another number of tensors");
  if (!tensors && num_tensors)
    return WEIR_FAIL(context, WEIR_ERR_NULL, "the list of tensors is null");
  weir_status status;
  for (uint32_t i = 0; i < function->num_inputs; ++i)
    if ((status = check_tensor(context, &function->inputs[i], tensors[i])))
      return status;
  for (uint32_t i = 0; i < function->num_outputs; ++i)
    if ((status = check_tensor(context, &function->outputs[i],
                               tensors[function->num_inputs + i])))
      return status;
  return weir_check_overlap(context, which, tensors);
}

// Whether the variables that a function uses have values.
WEIR_PART weir_status weir_check_initialized(weir_context *context,
                                             uint32_t which) {
  const weir_model *model = context->model;
  if (!model->roles || model->roles[which] != WEIR_USES_STATE ||
      context->initialized)
    return WEIR_OK;
  return WEIR_FAIL(context, WEIR_ERR_UNINITIALIZED, "function '",
                   model->info->functions[which].name,
                   "' uses variables, which have no values yet: ",
                   model->info->init ? "init or " : "", "restore comes first");
}

// A run has gone well: init has given the variables their values.
WEIR_PART void weir_note_initialized(weir_context *context, uint32_t which) {
  if (context->model->roles && context->model->roles[which] == WEIR_INIT)
    context->initialized = 1;
}

// What a run answers whose entry answered `failed`.
WEIR_PART weir_status weir_check_result(weir_context *context, int32_t failed) {
  const weir_model *model = context->model;
  if (!failed)
    return WEIR_OK;
  if (failed < 0 || (uint64_t)failed > model->num_checks)
    return WEIR_FAIL(context, WEIR_ERR_CHECK, "an unnamed check failed");
  uint64_t check = (uint64_t)failed - 1;
  if (model->elements && model->elements[2 * check])
    return weir_fail_at(context, check);
  return WEIR_FAIL(context, WEIR_ERR_CHECK, model->checks[check]);
}

#endif

// Create, run and destroy, the same for every model: all they know of one is
// its static table. Nothing is allocated between create and destroy.

#include "runtime/abi.h"
#include "runtime/libc.h"

static const uint64_t live = 0x7478657472696577; // "weirtext" in memory
static const size_t huge_page = (size_t)1 << 21;

static int aligned(const void *p, size_t to) { return !((uintptr_t)p % to); }

static int alive(const weir_model *model, const weir_context *context) {
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

// A fresh page costs microseconds at its first touch: all are touched here, so
// that no run pays, and large arenas get large pages where the system has them.
static weir_status own_arena(weir_context *context, size_t bytes) {
  size_t align = bytes >= 2 * huge_page ? huge_page : WEIR_ALIGN;
  if (bytes > SIZE_MAX - align)
    return WEIR_ERR_MEMORY;
  size_t whole = (bytes + align - 1) / align * align;
  context->own_arena = context->arena = aligned_alloc(align, whole);
  if (!context->arena)
    return WEIR_ERR_MEMORY;
  // Not the last one: a large page that is used in part is resident in whole.
  if (align == huge_page)
    madvise(context->arena, bytes / huge_page * huge_page, MADV_HUGEPAGE_);
  return WEIR_OK;
}

static weir_status find_arena(weir_context *context,
                              const weir_config *config) {
  size_t bytes = context->model->info->arena_bytes;
  if (!bytes)
    return WEIR_OK;
  if (config && config->arena) {
    if (!aligned(config->arena, WEIR_ALIGN))
      return WEIR_ERR_ALIGNMENT;
    if (config->arena_bytes < bytes)
      return WEIR_ERR_SIZE;
    context->arena = config->arena;
  } else {
    weir_status status = own_arena(context, bytes);
    if (status)
      return status;
  }
  memset(context->arena, 0, bytes);
  return WEIR_OK;
}

static weir_status find_weights(weir_context *context,
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
  return WEIR_OK;
}

// The best code that runs here, or what is wanted of it; null: there is none.
static const weir_level *find_level(const weir_model *model, uint32_t wanted) {
  for (uint32_t i = 0; i < model->info->num_levels; ++i)
    if ((!wanted || wanted == i + 1) && weir_cpu_has(model->levels[i].cpu))
      return &model->levels[i];
  return NULL;
}

// The compiler reads this off the bitcode, adds the order of the tensors and
// aligns it for NAME_CTX_BYTES.
const size_t weir_context_bytes = sizeof(weir_context);

weir_status weir_model_create(const weir_model *model, void *memory,
                              const weir_config *config, weir_context **out) {
  if (!out)
    return WEIR_ERR_NULL;
  *out = NULL;
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
  weir_status status = find_arena(context, config);
  if (!status)
    status = find_weights(context, config);
  if (!status)
    status = weir_team_create(&context->team, config ? config->threads : NULL,
                              (int)model->info->threads);
  if (status) {
    weir_model_destroy(model, context);
    return status;
  }
  *out = context;
  return WEIR_OK;
}

void weir_model_destroy(const weir_model *model, weir_context *context) {
  if (!alive(model, context))
    return;
  context->magic = 0;
  weir_team_destroy(&context->team);
  weir_weights_unmap(context);
  free(context->own_arena);
  free(context->own_context);
}

const char *weir_model_last_error(const weir_model *model,
                                  const weir_context *context) {
  if (!alive(model, context))
    return weir_status_text(WEIR_ERR_CONTEXT);
  return context->message;
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

weir_status weir_model_run(const weir_model *model, weir_context *context,
                           uint32_t which, void *const *tensors,
                           uint32_t num_tensors) {
  if (!context)
    return WEIR_ERR_NULL;
  if (!alive(model, context))
    return WEIR_ERR_CONTEXT;
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
  if ((status = weir_check_overlap(context, which, tensors)))
    return status;
  int32_t failed = context->entries[which](context->arena, context->weights,
                                           tensors, &context->team);
  if (!failed)
    return WEIR_OK;
  if (failed < 0 || (uint64_t)failed > model->num_checks)
    return WEIR_FAIL(context, WEIR_ERR_CHECK, "an unnamed check failed");
  return WEIR_FAIL(context, WEIR_ERR_CHECK, model->checks[failed - 1]);
}

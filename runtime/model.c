// Create, run and destroy, the same for every model: all they know of one is
// its static table. Nothing is allocated between create and destroy.

#include "runtime/context.h"

static const size_t huge_page = (size_t)1 << 21;

// Memory of the model's own, or null. A fresh page costs microseconds at its
// first touch: callers touch all of them, so that no run pays, and large blocks
// get large pages where the system has them.
static void *own_memory(size_t bytes) {
  size_t align = bytes >= 2 * huge_page ? huge_page : WEIR_ALIGN;
  if (bytes > SIZE_MAX - align)
    return NULL;
  size_t whole = (bytes + align - 1) / align * align;
  void *memory = aligned_alloc(align, whole);
  // Not the last one: a large page that is used in part is resident in whole.
  if (memory && align == huge_page)
    madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE_);
  return memory;
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
    context->own_arena = context->arena = own_memory(bytes);
    if (!context->arena)
      return WEIR_ERR_MEMORY;
  }
  memset(context->arena, 0, bytes);
  return WEIR_OK;
}

static weir_status find_state(weir_context *context,
                              const weir_config *config) {
  size_t bytes = context->model->info->state_bytes;
  if (!bytes)
    return WEIR_OK;
  if (config && config->state) {
    if (!aligned(config->state, WEIR_ALIGN))
      return WEIR_ERR_ALIGNMENT;
    if (config->state_bytes < bytes)
      return WEIR_ERR_SIZE;
    context->state = config->state;
  } else {
    context->own_state = context->state = own_memory(bytes);
    if (!context->state)
      return WEIR_ERR_MEMORY;
  }
  memset(context->state, 0, bytes);
  return WEIR_OK;
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
  // Before there is a context: it might lie there, for all that the compiler
  // knows, which then keeps what this model has no use for.
  weir_tell(config, "");
  weir_context *context;
  weir_status status = weir_context_begin(model, memory, config, &context);
  if (status) {
    weir_tell(config, weir_status_text(status));
    return status;
  }
  status = find_arena(context, config);
  if (!status)
    status = find_state(context, config);
  if (!status)
    status = weir_find_weights(context, config);
  if (!status)
    status = weir_team_create(&context->team, config ? config->threads : NULL,
                              (int)model->info->threads);
  if (status) {
    weir_tell(config,
              *context->message ? context->message : weir_status_text(status));
    weir_model_destroy(model, context);
    return status;
  }
  *out = context;
  return WEIR_OK;
}

void weir_model_destroy(const weir_model *model, weir_context *context) {
  if (!weir_context_alive(model, context))
    return;
  context->magic = 0;
  weir_team_destroy(&context->team);
  weir_weights_unmap(context);
  free(context->own_arena);
  free(context->own_state);
  free(context->own_context);
}

const char *weir_model_last_error(const weir_model *model,
                                  const weir_context *context) {
  if (!weir_context_alive(model, context))
    return weir_status_text(WEIR_ERR_CONTEXT);
  return context->message;
}

int weir_model_alive(const weir_model *model, const weir_context *context) {
  return weir_context_alive(model, context);
}

void *weir_model_state(const weir_model *model, weir_context *context) {
  return weir_context_alive(model, context) ? context->state : NULL;
}

void *weir_model_variable(const weir_model *model, weir_context *context,
                          uint32_t variable) {
  char *state = weir_model_state(model, context);
  return state ? state + model->info->variables[variable].offset : NULL;
}

weir_status weir_model_run(const weir_model *model, weir_context *context,
                           uint32_t which, void *const *tensors,
                           uint32_t num_tensors) {
  if (!context)
    return WEIR_ERR_NULL;
  if (!weir_context_alive(model, context))
    return WEIR_ERR_CONTEXT;
  weir_status status = weir_check_call(context, which, tensors, num_tensors);
  if (status)
    return status;
  status = weir_check_initialized(context, which);
  if (status)
    return status;
  status = weir_check_result(
      context,
      context->entries[which](context->arena, context->weights, tensors,
                              &context->team, context->state));
  if (!status)
    weir_note_initialized(context, which);
  return status;
}

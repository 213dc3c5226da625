// Create, run and destroy, the same for every model: all they know of one is
// its static table. Nothing is allocated between create and destroy.

#include "runtime/context.h"

static const size_t huge_page = (size_t)1 << 21;

// Smaller blocks are malloc's, whose pages are often there already.
static int is_large(size_t bytes) { return bytes >= huge_page; }

static size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

// How much of a block is to be in large pages, which take a tenth of the time
// that small ones do. Of a last one that is used in part the rest is resident,
// too: so much is worth it.
static size_t in_huge_pages(size_t bytes) {
  const size_t unused = huge_page / 4;
  return (bytes + unused) / huge_page * huge_page;
}

static size_t mapped_bytes(size_t bytes) {
  size_t small = round_up(bytes, largest_page), huge = in_huge_pages(bytes);
  return huge > small ? huge : small;
}

// Zeros of the system's, from a multiple of a large page on, or null. A page
// becomes resident at its first touch.
static char *map_pages(size_t bytes) {
  size_t whole = mapped_bytes(bytes), more = whole + huge_page;
  char *all = mmap(NULL, more, PROT_READ_ | PROT_WRITE_,
                   MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (all == (void *)-1)
    return NULL;
  size_t skipped = (huge_page - (uintptr_t)all % huge_page) % huge_page;
  if (skipped)
    munmap(all, skipped);
  munmap(all + skipped + whole, huge_page - skipped);
  return all + skipped;
}

// Which part of its memory a model uses.
typedef enum use { USES_ALL, USES_SOME } use;

// Zeros of the model's own, or null. A fresh page costs a microsecond at its
// first touch: where the model uses all memory, all pages are touched here, so
// that no run pays. Large blocks get large pages where the system has them, and
// the others in one call, which takes a third of the time that faults do. Where
// the sizes of a run decide what it uses, the run touches it, in small pages.
static void *own_memory(size_t bytes, use use) {
  if (bytes > SIZE_MAX / 2)
    return NULL;
  if (!is_large(bytes)) {
    char *memory = aligned_alloc(WEIR_ALIGN, round_up(bytes, WEIR_ALIGN));
    return memory ? memset(memory, 0, bytes) : NULL;
  }
  char *memory = map_pages(bytes);
  if (!memory || use == USES_SOME)
    return memory;
  madvise(memory, in_huge_pages(bytes), MADV_HUGEPAGE_);
  if (madvise(memory, bytes, MADV_POPULATE_WRITE_))
    memset(memory, 0, bytes);
  return memory;
}

// Whether inputs have sizes that only a run knows.
static use use_of_arena(const weir_model_info *info) {
  for (uint32_t f = 0; f < info->num_functions; ++f)
    for (uint32_t i = 0; i < info->functions[f].num_inputs; ++i)
      if (info->functions[f].inputs[i].least)
        return USES_SOME;
  return USES_ALL;
}

static void free_own(void *memory, size_t bytes) {
  if (memory && is_large(bytes))
    munmap(memory, mapped_bytes(bytes));
  else
    free(memory);
}

// Sets `at` to zeros: the caller's memory where it is given, else `own`.
static weir_status find_block(size_t bytes, use use, void *given,
                              size_t given_bytes, void **at, void **own) {
  if (!bytes)
    return WEIR_OK;
  if (!given) {
    *own = *at = own_memory(bytes, use);
    return *at ? WEIR_OK : WEIR_ERR_MEMORY;
  }
  if (!aligned(given, WEIR_ALIGN))
    return WEIR_ERR_ALIGNMENT;
  if (given_bytes < bytes)
    return WEIR_ERR_SIZE;
  *at = memset(given, 0, bytes);
  return WEIR_OK;
}

static weir_status find_arena(weir_context *context,
                              const weir_config *config) {
  return find_block(
      context->model->info->arena_bytes, use_of_arena(context->model->info),
      config ? config->arena : NULL, config ? config->arena_bytes : 0,
      &context->arena, &context->own_arena);
}

static weir_status find_state(weir_context *context,
                              const weir_config *config) {
  return find_block(context->model->info->state_bytes, USES_ALL,
                    config ? config->state : NULL,
                    config ? config->state_bytes : 0, &context->state,
                    &context->own_state);
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
  free_own(context->own_arena, model->info->arena_bytes);
  free_own(context->own_state, model->info->state_bytes);
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

static weir_status run(weir_context *context, uint32_t which,
                       void *const *tensors, uint32_t num_tensors) {
  weir_status status = weir_check_call(context, which, tensors, num_tensors);
  if (status)
    return status;
  status = weir_check_sizes(context, which, tensors);
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

weir_status weir_model_run(const weir_model *model, weir_context *context,
                           uint32_t which, void *const *tensors,
                           uint32_t num_tensors) {
  if (!context)
    return WEIR_ERR_NULL;
  if (!weir_context_alive(model, context))
    return WEIR_ERR_CONTEXT;
  weir_status status = weir_begin_call(context);
  if (status)
    return status;
  return weir_end_call(context, run(context, which, tensors, num_tensors));
}

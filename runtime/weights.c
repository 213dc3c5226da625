// Weights in a file of their own: mapped read-only, so processes share them.

#include "runtime/context.h"

weir_status weir_weights_map(weir_context *context, const char *path) {
  const weir_model *model = context->model;
  if (model->weights)
    return WEIR_FAIL(context, WEIR_ERR_WEIGHTS, "weights file '", path,
                     "' cannot be used: this library has its weights inside");
  // Not blocking: a FIFO given by mistake must not hang the caller.
  int file = open(path, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_);
  if (file < 0)
    return WEIR_FAIL(context, WEIR_ERR_IO, "cannot open weights file '", path,
                     "'");
  int64_t end = lseek(file, 0, SEEK_END_);
  if (end < 0 && *__errno_location() != ESPIPE_) {
    close(file);
    return WEIR_FAIL(context, WEIR_ERR_IO, "cannot read weights file '", path,
                     "'");
  }
  size_t bytes = sizeof(weir_weights_header) + model->info->weights_bytes;
  if (end < 0 || (uint64_t)end != bytes) {
    close(file);
    return WEIR_FAIL(context, WEIR_ERR_WEIGHTS, "weights file '", path,
                     "' has another layout: its size is not that of this "
                     "model's weights");
  }
  void *at = mmap(NULL, bytes, PROT_READ_, MAP_SHARED_, file, 0);
  close(file);
  if (at == (void *)-1)
    return WEIR_FAIL(context, WEIR_ERR_IO, "cannot map weights file '", path,
                     "'");
  const weir_weights_header *header = at;
  int is_known = memcmp(header->magic, "weirwts1", 8) == 0;
  // Other values in the same layout are as good as those of the compilation.
  if (!is_known || header->bytes != model->info->weights_bytes ||
      header->hash != model->weights_hash) {
    munmap(at, bytes);
    return WEIR_FAIL(context, WEIR_ERR_WEIGHTS, "weights file '", path,
                     is_known ? "' has another layout: it was compiled with "
                                "another program"
                              : "' is no file of weights");
  }
  context->mapping = at;
  context->mapping_bytes = bytes;
  context->weights = (const char *)at + sizeof(weir_weights_header);
  weir_advise_weights(context->weights, header->bytes);
  return WEIR_OK;
}

void weir_weights_unmap(weir_context *context) {
  if (context->mapping)
    munmap(context->mapping, context->mapping_bytes);
}

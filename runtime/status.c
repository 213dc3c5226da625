// Statuses as text, and the text of the last failure of a context.

#include "runtime/abi.h"

const char *weir_status_text(weir_status status) {
  switch (status) {
  case WEIR_OK:
    return "ok";
  case WEIR_ERR_NULL:
    return "a required pointer is null";
  case WEIR_ERR_ALIGNMENT:
    return "a pointer is not aligned for its type";
  case WEIR_ERR_OVERLAP:
    return "an output overlaps another tensor or the arena";
  case WEIR_ERR_SIZE:
    return "a size or count is wrong";
  case WEIR_ERR_MEMORY:
    return "out of memory";
  case WEIR_ERR_CONTEXT:
    return "not a live context of this model";
  case WEIR_ERR_VERSION:
    return "the configuration is of another version of weir";
  case WEIR_ERR_TARGET:
    return "this processor or its system lacks what the model was compiled for";
  case WEIR_ERR_WEIGHTS:
    return "the weights are missing or not those of this model";
  case WEIR_ERR_IO:
    return "a file could not be read";
  case WEIR_ERR_CHECK:
    return "a node of the model rejected its values";
  case WEIR_ERR_THREADS:
    return "threads could not be started";
  case WEIR_ERR_DRIVER: // said where a GPU's are (runtime/cuda)
  case WEIR_ERR_DEVICE:
  case WEIR_ERR_GPU:
    break;
  case WEIR_ERR_UNINITIALIZED:
    return "variables have no values yet";
  case WEIR_ERR_CHECKPOINT:
    return "the checkpoint is damaged or not one of this model's";
  }
  return "unknown status";
}

weir_status weir_fail(weir_context *context, weir_status status,
                      const char *const *parts) {
  size_t at = 0;
  for (; *parts; ++parts)
    for (const char *c = *parts; *c && at + 1 < WEIR_MESSAGE_BYTES; ++c)
      context->message[at++] =
          (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
  context->message[at] = 0;
  return status;
}

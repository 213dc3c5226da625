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
    return "a file could not be read or written";
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
  case WEIR_ERR_BUSY:
    return "another thread is in a call on the context";
  case WEIR_ERR_RANKS:
    return "the ranks are not those that the model was compiled for";
  case WEIR_ERR_PEER:
    return "another rank does not answer";
  }
  return "unknown status";
}

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length])
    ++length;
  return length;
}

// How long a part may be so that all fit; no less than is left to be of use.
static size_t longest_part(size_t room, const char *const *parts) {
  enum { least = 16 };
  size_t most = room;
  for (; most > least; --most) {
    size_t all = 0;
    for (const char *const *part = parts; *part; ++part) {
      size_t length = length_of(*part);
      all += length < most ? length : most;
    }
    if (all < room)
      break;
  }
  return most;
}

void weir_join(char *to, size_t room, const char *const *parts) {
  enum { gap = 3 };
  size_t at = 0, most = longest_part(room, parts);
  for (; *parts; ++parts) {
    size_t length = length_of(*parts);
    size_t head = length <= most ? length : (most - gap) / 2;
    size_t tail = length <= most ? 0 : most - gap - head;
    for (size_t i = 0; i < length && at + 1 < room; ++i) {
      unsigned char c = (unsigned char)(*parts)[i];
      to[at++] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
      if (i + 1 != head || !tail)
        continue;
      for (int dot = 0; dot < gap && at + 1 < room; ++dot)
        to[at++] = '.';
      i = length - tail - 1;
    }
  }
  to[at] = 0;
}

weir_status weir_fail(weir_context *context, weir_status status,
                      const char *const *parts) {
  weir_join(context->message, sizeof context->message, parts);
  return status;
}

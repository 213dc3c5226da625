// Arrays of the buffer protocol, which the library uses without a copy.

#include "tools/python/native/native.h"

#include <string.h>

char element_kind(weir_dtype dtype) {
  switch (dtype) {
  case WEIR_F16:
  case WEIR_F32:
  case WEIR_F64:
    return 'f';
  case WEIR_BF16:
    return 'w';
  case WEIR_BOOL:
    return 'b';
  case WEIR_I8:
  case WEIR_I16:
  case WEIR_I32:
  case WEIR_I64:
    return 'i';
  case WEIR_U8:
  case WEIR_U16:
  case WEIR_U32:
  case WEIR_U64:
    return 'u';
  }
  return 0;
}

/// The element kind of a format of the struct module, or 0. The
/// sizes of its letters depend on the prefix, so that the caller compares the
/// size itself.
static char format_kind(const char *format) {
  if (!format)
    return 'u';
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (!*format || format[1])
    return 0;
  if (strchr("efd", *format))
    return 'f';
  if (strchr("bhilqn", *format))
    return 'i';
  if (strchr("BHILQN", *format))
    return 'u';
  return *format == '?' ? 'b' : 0;
}

int source_open(struct source *source, PyObject *value, int is_output) {
  source->owner = NULL;
  source->has_view = 0;
  if (!PyObject_CheckBuffer(value))
    return is_output ? 0 : source_open_dlpack(source, value);
  Py_buffer *view = &source->view;
  if (PyObject_GetBuffer(value, view,
                         is_output ? PyBUF_RECORDS : PyBUF_RECORDS_RO)) {
    // A signal or exhausted memory ends the call; all else is a matter of the
    // array.
    if (!PyErr_ExceptionMatches(PyExc_Exception) ||
        PyErr_ExceptionMatches(PyExc_MemoryError))
      return -1;
    PyErr_Clear();
    return 0;
  }
  source->has_view = 1;
  source->data = view->buf;
  source->ndim = view->ndim;
  source->shape = view->shape;
  source->kind = format_kind(view->format);
  source->item = (size_t)view->itemsize;
  source->bytes = (size_t)view->len;
  source->is_contiguous = PyBuffer_IsContiguous(view, 'C');
  return 1;
}

void source_close(struct source *source) {
  if (source->has_view)
    PyBuffer_Release(&source->view);
  source->has_view = 0;
  Py_CLEAR(source->owner);
}

int source_matches(const struct source *source, const struct tensor *tensor) {
  const weir_tensor_info *info = tensor->info;
  // NumPy has no bf16: arrays of uint16 hold its bits.
  char kind = source->kind == 'u' && tensor->kind == 'w' ? 'w' : source->kind;
  if (kind != tensor->kind || source->item != tensor->item ||
      source->ndim != info->rank || !source->is_contiguous)
    return 0;
  size_t elements = 1;
  for (int i = 0; i < source->ndim; ++i) {
    int64_t size = source->shape[i];
    if (size > info->shape[i] ||
        size < (info->shape_tensor >= 0 ? info->least[i] : info->shape[i]))
      return 0;
    elements *= (size_t)size;
  }
  if (source->bytes != elements * source->item)
    return 0;
  return !elements ||
         (source->data && (uintptr_t)source->data % tensor->item == 0);
}

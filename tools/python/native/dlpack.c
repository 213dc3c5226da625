// Arrays of other frameworks by DLPack, without a copy. The capsule stays the
// owner: its destructor returns the memory when the call drops it.

#include "tools/python/native/native.h"

enum {
  device_cpu = 1,
  code_int = 0,
  code_uint = 1,
  code_float = 2,
  code_bfloat = 4,
  code_bool = 6
};

/// The part of DLPack's DLManagedTensor that a reader needs.
struct managed {
  void *data;
  int32_t device, device_number;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
};

static char kind_of(const struct managed *lent) {
  if (lent->lanes != 1 || lent->bits % 8)
    return 0;
  switch (lent->code) {
  case code_int:
    return 'i';
  case code_uint:
    return 'u';
  case code_float:
    return 'f';
  case code_bfloat:
    return 'w';
  case code_bool:
    return 'b';
  }
  return 0;
}

static int is_contiguous(const struct managed *lent) {
  int64_t stride = 1;
  for (int i = lent->ndim; lent->strides && i-- > 0; stride *= lent->shape[i])
    if (lent->shape[i] > 1 && lent->strides[i] != stride)
      return 0;
  return 1;
}

/// Whether the memory is the processor's; -1 with an exception.
static int is_on_cpu(PyObject *value) {
  PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", NULL);
  PyObject *type = device ? PySequence_GetItem(device, 0) : NULL;
  PyObject *number = type ? PyNumber_Index(type) : NULL;
  long known = number ? PyLong_AsLong(number) : -1;
  Py_XDECREF(number);
  Py_XDECREF(type);
  Py_XDECREF(device);
  if (PyErr_Occurred())
    return -1;
  if (known == device_cpu)
    return 1;
  PyErr_Format(PyExc_ValueError,
               "an array is on a device of DLPack's type %ld; weir reads the "
               "memory of the CPU",
               known);
  return -1;
}

int source_open_dlpack(struct source *source, PyObject *value) {
  PyObject *method = PyObject_GetAttrString(value, "__dlpack__");
  if (!method) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      return -1;
    PyErr_Clear();
    return 0;
  }
  PyObject *capsule =
      is_on_cpu(value) < 0 ? NULL : PyObject_CallObject(method, NULL);
  Py_DECREF(method);
  if (!capsule)
    return -1;
  struct managed *lent = PyCapsule_GetPointer(capsule, "dltensor");
  if (!lent) {
    Py_DECREF(capsule);
    return -1;
  }
  // Sizes that the product of a shape cannot have match no tensor.
  size_t elements = 1;
  int is_valid = lent->device == device_cpu && lent->ndim >= 0;
  for (int i = 0; is_valid && i < lent->ndim; ++i)
    is_valid =
        lent->shape[i] >= 0 &&
        !__builtin_mul_overflow(elements, (size_t)lent->shape[i], &elements);
  source->kind = is_valid ? kind_of(lent) : 0;
  source->item = lent->bits / 8;
  if (__builtin_mul_overflow(elements, source->item, &source->bytes))
    source->kind = 0;
  source->data = (char *)lent->data + lent->offset;
  source->ndim = lent->ndim;
  source->shape = (const Py_ssize_t *)lent->shape;
  source->is_contiguous = is_valid && is_contiguous(lent);
  source->owner = capsule;
  return 1;
}
_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t),
               "shapes are read as they lie");

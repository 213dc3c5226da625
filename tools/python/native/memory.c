// The memory of a context's variables, which arrays may use after the context
// has ended.

#define _DEFAULT_SOURCE
#include "tools/python/native/native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct memory {
  PyObject ob_base;
  void *data;
  size_t bytes;
} memory;

PyObject *memory_new(size_t bytes, size_t align) {
  const size_t large = (size_t)1 << 22, page = (size_t)1 << 21;
  if (align < sizeof(void *))
    align = sizeof(void *);
  if (bytes >= large && align < page)
    align = page;
  memory *self = (memory *)((allocfunc)PyType_GetSlot(
      memory_type, Py_tp_alloc))(memory_type, 0);
  if (!self)
    return NULL;
  if (posix_memalign(&self->data, align, bytes)) {
    self->data = NULL;
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  // Huge pages need few entries of the page table. The library uses them for
  // memory of its own, too.
  if (bytes >= large)
    madvise(self->data, bytes / page * page, MADV_HUGEPAGE);
  self->bytes = bytes;
  return (PyObject *)self;
}

void *memory_data(PyObject *self) { return ((memory *)self)->data; }

static void finish(PyObject *self) {
  free(((memory *)self)->data);
  free_object(self);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
  memory *m = (memory *)self;
  return PyBuffer_FillInfo(view, self, m->data, (Py_ssize_t)m->bytes, 0, flags);
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, finish}, {Py_bf_getbuffer, get_buffer}, {0, NULL}};
PyType_Spec memory_spec = {
    "weir._weir.Memory", sizeof(memory), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

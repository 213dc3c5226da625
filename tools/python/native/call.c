// A call of a function: inputs and outputs are found and checked, and the
// library runs while other threads of Python do.

#include "tools/python/native/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_held(const struct source *source) {
  return source->has_view || source->owner != NULL;
}

/// Finds the memory of an input, if need be of an array that Python makes of
/// it.
static int open_input(struct call *c, uint32_t i) {
  struct tensor *tensor = &c->f->tensors[i];
  struct source *source = &c->sources[i];
  int found = source_open(source, c->values[i], 0);
  if (!found || (found > 0 && !source_matches(source, tensor))) {
    source_close(source);
    PyObject *array = PyObject_CallFunctionObjArgs(hooks.convert, tensor->about,
                                                   c->values[i], NULL);
    if (!array)
      return -1;
    replace(&c->values[i], array);
    found = source_open(source, array, 0);
    if (!found || (found > 0 && !source_matches(source, tensor))) {
      PyErr_Format(PyExc_ValueError, "input %R cannot be read", tensor->name);
      return -1;
    }
  }
  if (found < 0)
    return -1;
  c->addresses[i] = source->data;
  if (tensor->sizes_at < 0)
    return 0;
  int64_t *sizes = c->sizes + tensor->sizes_at;
  for (int d = 0; d < source->ndim; ++d)
    sizes[d] = source->shape[d];
  c->addresses[tensor->info->shape_tensor] = sizes;
  return 0;
}

/// Whether an array has the shape of the largest sizes.
static int is_largest(const struct source *source,
                      const weir_tensor_info *info) {
  for (int d = 0; d < info->rank; ++d)
    if (source->shape[d] != info->shape[d])
      return 0;
  return 1;
}

/// Finds memory for an output: the caller's, or a new array.
static int open_output(struct call *c, uint32_t i) {
  uint32_t at = c->inputs + i;
  struct tensor *tensor = &c->f->tensors[at];
  if (tensor->is_hidden)
    return 0;
  PyObject *target = c->targets[i];
  if (target) {
    struct source *lent = &c->sources[c->count + i];
    int found = source_open(lent, target, 1);
    if (found < 0)
      return -1;
    if (!found || !source_matches(lent, tensor)) {
      source_close(lent);
      Py_XDECREF(PyObject_CallFunctionObjArgs(hooks.refuse, tensor->about,
                                              target, NULL));
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "output %R cannot be written",
                     tensor->name);
      return -1;
    }
    if (is_largest(lent, tensor->info)) {
      c->addresses[at] = lent->data;
      c->values[at] = Py_NewRef(target);
    }
  }
  if (!c->values[at]) {
    c->values[at] = PyObject_CallFunctionObjArgs(hooks.empty, tensor->shape,
                                                 tensor->dtype, NULL);
    int found =
        c->values[at] ? source_open(&c->sources[at], c->values[at], 1) : -1;
    if (!found)
      PyErr_SetString(PyExc_BufferError, "a new array has no memory");
    if (found <= 0)
      return -1;
    c->addresses[at] = c->sources[at].data;
  }
  if (tensor->sizes_at >= 0)
    c->addresses[c->inputs + tensor->info->shape_tensor] =
        c->sizes + tensor->sizes_at;
  return 0;
}

/// The library checks what it reads and writes. It does not see the caller's
/// arrays of dynamic shape, which are copied.
static int check_overlap(struct call *c) {
  for (uint32_t at = c->inputs; at < c->count; ++at) {
    const struct source *out = &c->sources[c->count + at - c->inputs];
    for (uint32_t k = 0; out->has_view && k < at; ++k) {
      int is_input = k < c->inputs;
      const struct source *other =
          &c->sources[is_input ? k : c->count + k - c->inputs];
      if (!is_held(other) || !out->bytes || !other->bytes)
        continue;
      uintptr_t a = (uintptr_t)out->data, b = (uintptr_t)other->data;
      if (a < b ? b - a >= out->bytes : a - b >= other->bytes)
        continue;
      PyErr_Format(PyExc_ValueError, "output %R overlaps %s %R",
                   c->f->tensors[at].name, is_input ? "input" : "output",
                   c->f->tensors[k].name);
      return -1;
    }
  }
  return 0;
}

/// The library reads memory for the largest sizes: smaller arrays are copied to
/// a buffer that the context keeps.
static weir_status pad(struct call *c, uint32_t i) {
  const struct tensor *tensor = &c->f->tensors[i];
  const struct source *source = &c->sources[i];
  if (tensor->sizes_at < 0 || is_largest(source, tensor->info))
    return WEIR_OK;
  void **buffer = &c->self->padded[c->which][i];
  if (!*buffer)
    *buffer = calloc(tensor->info->bytes + 64, 1);
  if (!*buffer)
    return WEIR_ERR_MEMORY;
  if (source->bytes)
    memcpy(*buffer, source->data, source->bytes);
  c->addresses[i] = *buffer;
  return WEIR_OK;
}

/// Runs the library. Nothing of Python is called while the context is locked:
/// such code might call the model again.
static int run(struct call *c) {
  context *self = c->self;
  const weir_model_info *info = self->library->info;
  weir_status status = WEIR_OK;
  char text[1024];
  *text = 0;
  PyThreadState *state = PyEval_SaveThread();
  PyThread_acquire_lock(self->lock, WAIT_LOCK);
  if (!self->context)
    status = WEIR_ERR_CONTEXT;
  for (uint32_t i = 0; !status && i < c->inputs; ++i)
    status = pad(c, i);
  if (!status) {
    status = info->run(self->context, c->which, c->addresses, c->count);
    if (status && status != WEIR_ERR_BUSY)
      snprintf(text, sizeof text, "%s", info->last_error(self->context));
  }
  PyThread_release_lock(self->lock);
  PyEval_RestoreThread(state);
  if (status)
    raise_status(status, *text ? text : info->status_text(status));
  return -(status != WEIR_OK);
}

/// The array of an output of dynamic shape, once its sizes are known.
static PyObject *finish_dynamic(struct call *c, uint32_t i) {
  uint32_t at = c->inputs + i;
  struct tensor *tensor = &c->f->tensors[at];
  const struct source *lent = &c->sources[c->count + i];
  int rank = tensor->info->rank;
  PyObject *sizes = PyTuple_New(rank);
  int is_equal = 1;
  for (int d = 0; sizes && d < rank; ++d) {
    int64_t size = c->sizes[tensor->sizes_at + d];
    is_equal &= lent->has_view && size == lent->shape[d];
    PyObject *number = PyLong_FromLongLong(size);
    if (!number || PyTuple_SetItem(sizes, d, number))
      Py_CLEAR(sizes);
  }
  PyObject *result = NULL;
  if (sizes && !lent->has_view) {
    result =
        PyObject_CallFunctionObjArgs(hooks.trim, c->values[at], sizes, NULL);
  } else if (sizes && is_equal) {
    if (c->addresses[at] != lent->data)
      memcpy(lent->data, c->addresses[at], lent->bytes);
    result = Py_NewRef(c->targets[i]);
  } else if (sizes) {
    PyErr_Format(PyExc_ValueError,
                 "output %R is %R, and the shape of out is another",
                 tensor->name, sizes);
  }
  Py_XDECREF(sizes);
  return result;
}

static PyObject *results_of(struct call *c) {
  PyObject *results = PyDict_New();
  for (uint32_t i = 0; results && i < c->count - c->inputs; ++i) {
    struct tensor *tensor = &c->f->tensors[c->inputs + i];
    if (tensor->is_hidden)
      continue;
    PyObject *result = tensor->sizes_at >= 0
                           ? finish_dynamic(c, i)
                           : Py_NewRef(c->values[c->inputs + i]);
    if (!result || PyDict_SetItem(results, tensor->name, result))
      Py_CLEAR(results);
    Py_XDECREF(result);
  }
  return results;
}

static PyObject *perform(struct call *c, PyObject *arrays, Py_ssize_t first,
                         PyObject *named) {
  if (take_inputs(c, arrays, first, named) || take_out(c))
    return NULL;
  for (uint32_t k = 0; k < c->f->num_visible; ++k)
    if (open_input(c, c->f->visible[k]))
      return NULL;
  for (uint32_t i = 0; i < c->count - c->inputs; ++i)
    if (open_output(c, i))
      return NULL;
  if (c->out && check_overlap(c))
    return NULL;
  return run(c) ? NULL : results_of(c);
}

PyObject *call_function(context *self, uint32_t which, PyObject *arrays,
                        Py_ssize_t first, PyObject *named) {
  struct call c = {
      .self = self, .which = which, .f = &self->library->functions[which]};
  c.inputs = c.f->info->num_inputs;
  c.count = c.inputs + c.f->info->num_outputs;
  uint32_t outputs = c.count - c.inputs, sources = c.count + outputs;
  size_t bytes = sources * (sizeof *c.sources + sizeof(PyObject *)) +
                 c.count * sizeof(void *) + c.f->num_sizes * sizeof(int64_t);
  _Alignas(16) char few[2048];
  char *memory =
      bytes <= sizeof few ? memset(few, 0, bytes) : PyMem_Calloc(1, bytes);
  if (!memory)
    return PyErr_NoMemory();
  c.sources = (struct source *)memory;
  c.values = (PyObject **)(c.sources + sources);
  c.targets = c.values + c.count;
  c.addresses = (void **)(c.targets + outputs);
  c.sizes = (int64_t *)(c.addresses + c.count);
  PyObject *results = perform(&c, arrays, first, named);
  for (uint32_t i = 0; i < sources; ++i)
    source_close(&c.sources[i]);
  for (uint32_t i = 0; i < sources; ++i)
    Py_XDECREF(c.values[i]);
  Py_XDECREF(c.out);
  if (memory != few)
    PyMem_Free(memory);
  return results;
}

// A loaded library, and the description of its functions as Python objects.

#include "tools/python/native/native.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static PyObject *text_of(const char *text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *texts_of(const char *const *texts, int64_t count) {
  PyObject *list = PyList_New(count);
  for (int64_t i = 0; list && i < count; ++i) {
    PyObject *text = text_of(texts[i]);
    if (!text || PyList_SetItem(list, i, text))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *sizes_of(const int64_t *sizes, int rank) {
  PyObject *tuple = PyTuple_New(rank);
  for (int i = 0; tuple && i < rank; ++i) {
    PyObject *size = PyLong_FromLongLong(sizes[i]);
    if (!size || PyTuple_SetItem(tuple, i, size))
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *dtype_of(weir_dtype dtype) {
  static const char *const names[] = {"",   "f2", "u2", "f4", "f8", "?",  "i1",
                                      "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
  if (dtype < WEIR_F16 || dtype > WEIR_U64)
    return PyErr_Format(PyExc_ValueError, "an element type %d is unknown",
                        (int)dtype);
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *found =
      numpy ? PyObject_CallMethod(numpy, "dtype", "s", names[dtype]) : NULL;
  Py_XDECREF(numpy);
  return found;
}

static int fill_tensor(struct function *f, struct tensor *tensor,
                       const weir_tensor_info *info) {
  tensor->info = info;
  tensor->kind = element_kind(info->dtype);
  tensor->sizes_at = -1;
  if (info->shape_tensor >= 0) {
    tensor->sizes_at = (int64_t)f->num_sizes;
    f->num_sizes += (size_t)info->rank;
  }
  tensor->name = text_of(info->name);
  tensor->shape = sizes_of(info->shape, info->rank);
  tensor->dtype = dtype_of(info->dtype);
  if (!tensor->name || !tensor->shape || !tensor->dtype)
    return -1;
  PyObject *size = PyObject_GetAttrString(tensor->dtype, "itemsize");
  tensor->item = size ? PyLong_AsSize_t(size) : 0;
  Py_XDECREF(size);
  int is_dynamic = info->shape_tensor >= 0;
  PyObject *least = is_dynamic ? sizes_of(info->least, info->rank) : NULL;
  PyObject *dims = is_dynamic ? texts_of(info->dims, info->rank) : NULL;
  PyObject *strings = texts_of(info->strings, info->num_strings);
  if (!PyErr_Occurred())
    tensor->about = PyObject_CallFunction(
        hooks.tensor, "OOOOOiO", tensor->name, tensor->shape, tensor->dtype,
        is_dynamic ? least : Py_None, is_dynamic ? dims : Py_None,
        info->dtype == WEIR_BF16, strings);
  Py_XDECREF(least);
  Py_XDECREF(dims);
  Py_XDECREF(strings);
  return tensor->about ? 0 : -1;
}

/// Marks the tensors that hold sizes of others: callers do not see them.
static void hide_sizes(struct tensor *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (tensors[i].info->shape_tensor >= 0)
      tensors[tensors[i].info->shape_tensor].is_hidden = 1;
}

static int set_number(PyObject *dict, PyObject *key, uint32_t number) {
  PyObject *value = PyLong_FromUnsignedLong(number);
  int failed = !key || !value || PyDict_SetItem(dict, key, value);
  Py_XDECREF(value);
  return -failed;
}

/// The visible tensors of a side: their numbers by name, and a tuple for
/// Python.
static PyObject *list_side(struct tensor *tensors, uint32_t count,
                           PyObject *numbers, PyObject *names,
                           uint32_t *visible) {
  PyObject *about = PyList_New(0);
  uint32_t seen = 0;
  // An input has the name of its tensor, too, where no other input is called
  // that.
  for (uint32_t i = 0; about && i < count; ++i) {
    PyObject *tensor =
        tensors[i].is_hidden ? NULL : text_of(tensors[i].info->tensor);
    if (tensor && set_number(numbers, tensor, i))
      Py_CLEAR(about);
    Py_XDECREF(tensor);
  }
  for (uint32_t i = 0; about && i < count; ++i) {
    if (tensors[i].is_hidden)
      continue;
    if (visible)
      visible[seen++] = i;
    if (set_number(numbers, tensors[i].name, i) ||
        PyList_Append(names, tensors[i].name) ||
        PyList_Append(about, tensors[i].about))
      Py_CLEAR(about);
  }
  PyObject *tuple = about ? PyList_AsTuple(about) : NULL;
  Py_XDECREF(about);
  return tuple;
}

static int fill_function(library *self, uint32_t which) {
  struct function *f = &self->functions[which];
  const weir_function_info *info = &self->info->functions[which];
  uint32_t inputs = info->num_inputs, count = inputs + info->num_outputs;
  f->info = info;
  f->name = text_of(info->name);
  f->inputs = PyDict_New();
  f->outputs = PyDict_New();
  f->input_names = PyList_New(0);
  f->output_names = PyList_New(0);
  f->tensors = PyMem_Calloc(count + 1, sizeof *f->tensors);
  f->visible = PyMem_Calloc(inputs + 1, sizeof *f->visible);
  if (!f->tensors || !f->visible)
    PyErr_NoMemory();
  if (PyErr_Occurred())
    return -1;
  for (uint32_t i = 0; i < count; ++i)
    if (fill_tensor(f, &f->tensors[i],
                    i < inputs ? &info->inputs[i] : &info->outputs[i - inputs]))
      return -1;
  hide_sizes(f->tensors, inputs);
  hide_sizes(f->tensors + inputs, info->num_outputs);
  PyObject *sides[2] = {
      list_side(f->tensors, inputs, f->inputs, f->input_names, f->visible),
      list_side(f->tensors + inputs, info->num_outputs, f->outputs,
                f->output_names, NULL)};
  PyObject *both =
      sides[0] && sides[1] ? PyTuple_Pack(2, sides[0], sides[1]) : NULL;
  Py_XDECREF(sides[0]);
  Py_XDECREF(sides[1]);
  if (!both)
    return -1;
  f->num_visible = (uint32_t)PyList_Size(f->input_names);
  f->num_results = (uint32_t)PyList_Size(f->output_names);
  int failed = PyDict_SetItem(self->about, f->name, both) ||
               set_number(self->numbers, f->name, which);
  Py_DECREF(both);
  return -failed;
}

static int open_library(library *self, const char *path, const char *symbol) {
  self->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!self->handle) {
    const char *why = dlerror();
    PyErr_SetString(PyExc_OSError, why ? why : "dlopen failed");
    return -1;
  }
  const weir_model_info *(*find)(void);
  *(void **)&find = dlsym(self->handle, symbol);
  self->info = find ? find() : NULL;
  if (self->info && self->info->abi_version == WEIR_ABI_VERSION) {
    char name[512];
    snprintf(name, sizeof name, "%s_gpu", self->info->prefix);
    self->is_gpu = dlsym(self->handle, name) != NULL;
    return 0;
  }
  PyErr_Format(PyExc_ValueError, "'%s' was compiled by another version of weir",
               path);
  self->info = NULL;
  return -1;
}

static void release_function(struct function *f) {
  uint32_t count = f->tensors ? f->info->num_inputs + f->info->num_outputs : 0;
  for (uint32_t i = 0; i < count; ++i) {
    Py_XDECREF(f->tensors[i].name);
    Py_XDECREF(f->tensors[i].shape);
    Py_XDECREF(f->tensors[i].dtype);
    Py_XDECREF(f->tensors[i].about);
  }
  Py_XDECREF(f->name);
  Py_XDECREF(f->inputs);
  Py_XDECREF(f->outputs);
  Py_XDECREF(f->input_names);
  Py_XDECREF(f->output_names);
  PyMem_Free(f->tensors);
  PyMem_Free(f->visible);
}

static void finish(PyObject *object) {
  library *self = (library *)object;
  for (uint32_t i = 0; self->functions && i < self->info->num_functions; ++i)
    release_function(&self->functions[i]);
  PyMem_Free(self->functions);
  Py_XDECREF(self->numbers);
  Py_XDECREF(self->about);
  if (self->handle && !self->is_gpu)
    dlclose(self->handle);
  free_object(object);
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *named) {
  const char *path, *symbol;
  if (!PyArg_ParseTuple(args, "ys", &path, &symbol))
    return NULL;
  library *self =
      (library *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self || open_library(self, path, symbol)) {
    Py_XDECREF((PyObject *)self);
    return NULL;
  }
  self->functions =
      PyMem_Calloc(self->info->num_functions + 1, sizeof *self->functions);
  self->numbers = PyDict_New();
  self->about = PyDict_New();
  if (!self->functions)
    PyErr_NoMemory();
  for (uint32_t i = 0; !PyErr_Occurred() && i < self->info->num_functions; ++i)
    fill_function(self, i);
  if (!PyErr_Occurred())
    return (PyObject *)self;
  Py_DECREF((PyObject *)self);
  return NULL;
}

static PyObject *get_functions(PyObject *self, void *unused) {
  return Py_NewRef(((library *)self)->about);
}

static PyObject *get_weights_file(PyObject *self, void *unused) {
  const char *name = ((library *)self)->info->weights_file;
  return name ? PyBytes_FromString(name) : Py_NewRef(Py_None);
}

static PyObject *get_is_gpu(PyObject *self, void *unused) {
  return PyBool_FromLong(((library *)self)->is_gpu);
}

/// (key, element type, shape, offset) of each variable.
static PyObject *get_variables(PyObject *self, void *unused) {
  const weir_model_info *info = ((library *)self)->info;
  uint32_t count = info->state_bytes ? info->num_variables : 0;
  PyObject *list = PyList_New(count);
  for (uint32_t i = 0; list && i < count; ++i) {
    const weir_variable_info *v = &info->variables[i];
    PyObject *row =
        Py_BuildValue("(NNNn)", text_of(v->key), dtype_of(v->dtype),
                      sizes_of(v->shape, v->rank), (Py_ssize_t)v->offset);
    if (!row || PyList_SetItem(list, i, row))
      Py_CLEAR(list);
  }
  return list;
}

static PyGetSetDef properties[] = {
    {"functions", get_functions, NULL, NULL, NULL},
    {"weights_file", get_weights_file, NULL, NULL, NULL},
    {"is_gpu", get_is_gpu, NULL, NULL, NULL},
    {"variables", get_variables, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, create},
                              {Py_tp_dealloc, finish},
                              {Py_tp_getset, properties},
                              {0, NULL}};
PyType_Spec library_spec = {"weir._weir.Library", sizeof(library), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

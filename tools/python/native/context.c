// The class Context, which is the base of weir.Model: a context of a library.

#include "tools/python/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lock_context(context *self) {
  if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK))
    return;
  PyThreadState *state = PyEval_SaveThread();
  PyThread_acquire_lock(self->lock, WAIT_LOCK);
  PyEval_RestoreThread(state);
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *named) {
  context *self =
      (context *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self)
    return NULL;
  self->lock = PyThread_allocate_lock();
  if (!self->lock) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject *)self;
}

/// Frees the context of the library and all that belongs to it.
static void release(context *self) {
  library *lib = self->library;
  if (lib && self->context)
    lib->info->destroy(self->context);
  self->context = NULL;
  for (uint32_t f = 0; self->padded && f < lib->info->num_functions; ++f) {
    for (uint32_t i = 0;
         self->padded[f] && i < lib->info->functions[f].num_inputs; ++i)
      free(self->padded[f][i]);
    free(self->padded[f]);
  }
  free(self->padded);
  self->padded = NULL;
  Py_CLEAR(self->memory);
  self->library = NULL;
  Py_XDECREF((PyObject *)lib);
}

static void finish(PyObject *object) {
  context *self = (context *)object;
  release(self);
  if (self->lock)
    PyThread_free_lock(self->lock);
  free_object(object);
}

/// Room for the pointers to padded buffers, which a call of a dynamic shape
/// fills.
static int allocate_padded(context *self) {
  const weir_model_info *info = self->library->info;
  self->padded = calloc(info->num_functions + 1, sizeof *self->padded);
  for (uint32_t f = 0; self->padded && f < info->num_functions; ++f) {
    self->padded[f] =
        calloc(info->functions[f].num_inputs + 1, sizeof **self->padded);
    if (!self->padded[f])
      return -1;
  }
  return self->padded ? 0 : -1;
}

static int fill_config(context *self, weir_config *config,
                       weir_threads *threads) {
  const weir_model_info *info = self->library->info;
  if (threads->n > 0)
    config->threads = threads;
  if (!info->state_bytes)
    return 0;
  self->memory = memory_new(info->state_bytes, info->align);
  if (!self->memory)
    return -1;
  config->state = memory_data(self->memory);
  config->state_bytes = info->state_bytes;
  return 0;
}

/// Creates the context of the library and runs the function that initializes
/// its variables: 0, or -1 with an exception.
static int create_context(context *self, int count, const char *weights) {
  library *lib = self->library;
  char message[1024] = "";
  weir_threads threads = {NULL, count, NULL};
  weir_config config = WEIR_CONFIG_INIT;
  config.weights_path = weights;
  config.message = message;
  config.message_bytes = sizeof message;
  if (allocate_padded(self)) {
    PyErr_NoMemory();
    return -1;
  }
  if (fill_config(self, &config, &threads))
    return -1;
  weir_status status;
  void *made = NULL;
  PyThreadState *state = PyEval_SaveThread();
  status = lib->info->create(NULL, &config, &made);
  PyEval_RestoreThread(state);
  if (status) {
    raise_status(status, *message ? message : lib->info->status_text(status));
    return -1;
  }
  self->context = made;
  if (!lib->info->init)
    return 0;
  PyObject *nothing = PyTuple_New(0);
  PyObject *results =
      nothing ? call_function(self, lib->info->init - 1, nothing, 0, NULL)
              : NULL;
  Py_XDECREF(nothing);
  Py_XDECREF(results);
  return results ? 0 : -1;
}

/// open(library, threads, weights): threads 0 are the library's, weights may be
/// None. After a failure the model can be opened again.
static PyObject *open_context(PyObject *object, PyObject *args) {
  context *self = (context *)object;
  library *lib;
  int count;
  PyObject *file;
  char *weights = NULL;
  if (!PyArg_ParseTuple(args, "O!iO", library_type, &lib, &count, &file) ||
      (file != Py_None && PyBytes_AsStringAndSize(file, &weights, NULL)))
    return NULL;
  if (self->stage != never_opened) {
    PyErr_SetString(PyExc_RuntimeError, "the model is open already");
    return NULL;
  }
  // Other threads find the model open only after all of it has succeeded.
  self->stage = opening;
  self->library = (library *)Py_NewRef((PyObject *)lib);
  if (create_context(self, count, weights)) {
    release(self);
    self->stage = never_opened;
    return NULL;
  }
  self->stage = opened;
  return Py_NewRef(Py_None);
}

static int is_open(context *self) {
  if (self->stage != opened)
    PyErr_SetString(PyExc_RuntimeError, "the model was never opened");
  return self->stage == opened;
}

static PyObject *close_context(PyObject *object, PyObject *unused) {
  context *self = (context *)object;
  if (self->stage != opened)
    Py_RETURN_NONE;
  lock_context(self);
  void *context = self->context;
  self->context = NULL;
  PyThread_release_lock(self->lock);
  if (context)
    self->library->info->destroy(context);
  Py_RETURN_NONE;
}

/// Reads or writes a checkpoint.
static PyObject *use_file(context *self, PyObject *args, int writes) {
  const char *path;
  if (!PyArg_ParseTuple(args, "y", &path) || !is_open(self))
    return NULL;
  const weir_model_info *info = self->library->info;
  if (!info->state_bytes) {
    PyErr_SetString(PyExc_ValueError, "the model has no variables");
    return NULL;
  }
  char text[1024] = "";
  PyThreadState *state = PyEval_SaveThread();
  PyThread_acquire_lock(self->lock, WAIT_LOCK);
  weir_status status =
      self->context ? (writes ? info->save : info->restore)(self->context, path)
                    : WEIR_ERR_CONTEXT;
  if (status)
    snprintf(text, sizeof text, "%s",
             self->context ? info->last_error(self->context) : "");
  PyThread_release_lock(self->lock);
  PyEval_RestoreThread(state);
  if (!status)
    Py_RETURN_NONE;
  raise_status(status, *text ? text : info->status_text(status));
  return NULL;
}

static PyObject *save(PyObject *self, PyObject *args) {
  return use_file((context *)self, args, 1);
}

static PyObject *restore(PyObject *self, PyObject *args) {
  return use_file((context *)self, args, 0);
}

/// The memory of the variables, or None where the device has it.
static PyObject *get_memory(PyObject *object, PyObject *unused) {
  context *self = (context *)object;
  if (!is_open(self))
    return NULL;
  const weir_model_info *info = self->library->info;
  lock_context(self);
  void *context = self->context;
  int is_here = context && self->memory &&
                info->state(context) == memory_data(self->memory);
  PyThread_release_lock(self->lock);
  if (!context) {
    raise_status(WEIR_ERR_CONTEXT, info->status_text(WEIR_ERR_CONTEXT));
    return NULL;
  }
  return Py_NewRef(is_here ? self->memory : Py_None);
}

/// The function that a call without a name means.
static uint32_t usual_function(library *lib) {
  for (uint32_t f = 0; f < lib->info->num_functions; ++f)
    if (!strcmp(lib->info->functions[f].name, "serving_default"))
      return f;
  return 0;
}

static PyObject *call(PyObject *object, PyObject *args, PyObject *named) {
  context *self = (context *)object;
  if (!is_open(self))
    return NULL;
  return call_function(self, usual_function(self->library), args, 0, named);
}

static PyObject *run(PyObject *object, PyObject *args, PyObject *named) {
  context *self = (context *)object;
  if (!is_open(self))
    return NULL;
  if (!PyTuple_Size(args)) {
    PyErr_SetString(PyExc_TypeError, "run needs the name of a function");
    return NULL;
  }
  PyObject *name = PyTuple_GetItem(args, 0);
  PyObject *number = PyUnicode_Check(name)
                         ? PyDict_GetItemWithError(self->library->numbers, name)
                         : NULL;
  if (number)
    return call_function(self, (uint32_t)PyLong_AsUnsignedLong(number), args, 1,
                         named);
  if (PyErr_Occurred())
    return NULL;
  PyObject *names = PyDict_Keys(self->library->numbers);
  PyErr_Format(PyExc_AttributeError, "the model has no function %R; it has %R",
               name, names);
  Py_XDECREF(names);
  return NULL;
}

PyDoc_STRVAR(run_text,
             "run(function, /, *arrays, out=None, **inputs)\n--\n\n"
             "Calls the function of that name, as calling the model does.");
PyDoc_STRVAR(close_text,
             "close()\n--\n\n"
             "Frees the context. Calls fail from then on; arrays of "
             "variables stay.");

static PyMethodDef methods[] = {
    {"_open", open_context, METH_VARARGS, NULL},
    {"run", (PyCFunction)(void (*)(void))run, METH_VARARGS | METH_KEYWORDS,
     run_text},
    {"close", close_context, METH_NOARGS, close_text},
    {"_save", save, METH_VARARGS, NULL},
    {"_restore", restore, METH_VARARGS, NULL},
    {"_memory", get_memory, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, create},
                              {Py_tp_dealloc, finish},
                              {Py_tp_call, call},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec context_spec = {"weir._weir.Context", sizeof(context), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

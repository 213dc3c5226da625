// The module weir._weir: its types, and what it calls of the package.

#include "tools/python/native/native.h"

#include <string.h>

struct hooks hooks;
PyTypeObject *library_type, *memory_type;

void free_object(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

void raise_status(weir_status status, const char *text) {
  PyObject *string =
      PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  PyObject *error =
      string ? PyObject_CallFunction(hooks.error, "iO", (int)status, string)
             : NULL;
  if (error)
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(string);
}

/// The package hands over its parts once, when it is imported.
static PyObject *install(PyObject *self, PyObject *args) {
  PyObject **slots[] = {&hooks.error,  &hooks.tensor, &hooks.convert,
                        &hooks.refuse, &hooks.trim,   &hooks.empty};
  PyObject *parts[6];
  if (!PyArg_ParseTuple(args, "OOOOOO", &parts[0], &parts[1], &parts[2],
                        &parts[3], &parts[4], &parts[5]))
    return NULL;
  for (int i = 0; i < 6; ++i) {
    PyObject *before = *slots[i];
    Py_INCREF(parts[i]);
    *slots[i] = parts[i];
    Py_XDECREF(before);
  }
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"install", install, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        .m_name = "weir._weir", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__weir(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return NULL;
  library_type = (PyTypeObject *)PyType_FromSpec(&library_spec);
  memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
  PyObject *context_type = PyType_FromSpec(&context_spec);
  if (!library_type || !memory_type || !context_type ||
      PyModule_AddObjectRef(module, "Library", (PyObject *)library_type) ||
      PyModule_AddObjectRef(module, "Memory", (PyObject *)memory_type) ||
      PyModule_AddObjectRef(module, "Context", context_type) ||
      PyModule_AddIntConstant(module, "ABI_VERSION", WEIR_ABI_VERSION))
    Py_CLEAR(module);
  Py_XDECREF(context_type);
  return module;
}

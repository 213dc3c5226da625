// The arguments of a call: inputs by position, by keyword or in a dictionary,
// and `out`.

#include "tools/python/native/call.h"

void replace(PyObject **at, PyObject *by) {
  PyObject *before = *at;
  *at = by;
  Py_XDECREF(before);
}

static int set_input(struct call *c, uint32_t i, PyObject *value) {
  if (c->values[i]) {
    PyErr_Format(PyExc_TypeError, "input %R is given twice",
                 c->f->tensors[i].name);
    return -1;
  }
  c->values[i] = Py_NewRef(value);
  return 0;
}

/// Inputs by name. The keyword `out` is the outputs, unless an input is called
/// that.
static int take_named(struct call *c, PyObject *named, int are_keywords) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(named, &at, &key, &value)) {
    PyObject *number = PyDict_GetItemWithError(c->f->inputs, key);
    if (number) {
      if (set_input(c, (uint32_t)PyLong_AsUnsignedLong(number), value))
        return -1;
    } else if (PyErr_Occurred()) {
      return -1;
    } else if (are_keywords && PyUnicode_Check(key) &&
               !PyUnicode_CompareWithASCIIString(key, "out")) {
      replace(&c->out, Py_NewRef(value));
    } else {
      PyErr_Format(PyExc_TypeError, "no input is called %R; there are %R", key,
                   c->f->input_names);
      return -1;
    }
  }
  return 0;
}

/// Goes through a copy of the caller's dictionary: comparing its keys may run
/// code that changes it.
static int take_copy(struct call *c, PyObject *dict,
                     int (*take)(struct call *, PyObject *)) {
  PyObject *copy = PyDict_Copy(dict);
  int failed = copy ? take(c, copy) : -1;
  Py_XDECREF(copy);
  return failed;
}

static int take_named_inputs(struct call *c, PyObject *named) {
  return take_named(c, named, 0);
}

int take_inputs(struct call *c, PyObject *arrays, Py_ssize_t first,
                PyObject *named) {
  Py_ssize_t given = PyTuple_Size(arrays) - first;
  PyObject *only = given == 1 ? PyTuple_GetItem(arrays, first) : NULL;
  if (only && PyDict_Check(only)) {
    // If `out` is the only keyword beside a dictionary of inputs, it is the
    // outputs, also if an input is called that.
    PyObject *out = named ? PyDict_GetItemString(named, "out") : NULL;
    if (out && PyDict_Size(named) == 1) {
      c->out = Py_NewRef(out);
      named = NULL;
    }
    if (take_copy(c, only, take_named_inputs))
      return -1;
  } else if (given > (Py_ssize_t)c->f->num_visible) {
    PyErr_Format(PyExc_TypeError, "%zd arrays given for %u inputs", given,
                 c->f->num_visible);
    return -1;
  } else {
    for (Py_ssize_t k = 0; k < given; ++k)
      if (set_input(c, c->f->visible[k], PyTuple_GetItem(arrays, first + k)))
        return -1;
  }
  if (named && take_named(c, named, 1))
    return -1;
  for (uint32_t k = 0; k < c->f->num_visible; ++k)
    if (!c->values[c->f->visible[k]]) {
      PyErr_Format(PyExc_TypeError, "input %R is missing",
                   c->f->tensors[c->f->visible[k]].name);
      return -1;
    }
  return 0;
}

static int take_named_outputs(struct call *c, PyObject *named) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(named, &at, &key, &value)) {
    PyObject *number = PyDict_GetItemWithError(c->f->outputs, key);
    if (!number && !PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "no output is called %R; there are %R", key,
                   c->f->output_names);
    if (!number)
      return -1;
    replace(&c->targets[PyLong_AsUnsignedLong(number)],
            value == Py_None ? NULL : Py_NewRef(value));
  }
  return 0;
}

int take_out(struct call *c) {
  struct function *f = c->f;
  PyObject *out = c->out;
  if (!out || out == Py_None)
    return 0;
  if (PyDict_Check(out))
    return take_copy(c, out, take_named_outputs);
  // A list might change; a tuple holds what it has.
  int is_list = PyList_Check(out) || PyTuple_Check(out);
  PyObject *all = is_list ? PySequence_Tuple(out) : PyTuple_Pack(1, out);
  Py_ssize_t given = all ? PyTuple_Size(all) : 0;
  if (all && given != (Py_ssize_t)f->num_results)
    PyErr_Format(PyExc_TypeError, "out has %zd arrays for %u outputs", given,
                 f->num_results);
  Py_ssize_t next = 0;
  for (uint32_t i = 0; !PyErr_Occurred() && i < c->count - c->inputs; ++i) {
    PyObject *value = f->tensors[c->inputs + i].is_hidden
                          ? Py_None
                          : PyTuple_GetItem(all, next++);
    if (value != Py_None)
      c->targets[i] = Py_NewRef(value);
  }
  Py_XDECREF(all);
  return -(PyErr_Occurred() != NULL);
}

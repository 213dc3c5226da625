// The state of one call of a function, from its arguments to its results.
#ifndef WEIR_TOOLS_PYTHON_NATIVE_CALL_H
#define WEIR_TOOLS_PYTHON_NATIVE_CALL_H

#include "tools/python/native/native.h"

struct call {
  context *self;
  uint32_t which;
  struct function *f;
  uint32_t inputs, count; // of the library's tensors
  PyObject **values;      // inputs as given, outputs as returned
  PyObject **targets;     // arrays of `out`, or null
  struct source *sources; // of inputs and outputs; of `targets` behind them
  void **addresses;
  int64_t *sizes;
  PyObject *out;
};

/// Sets `*at`, which owns a reference or is null.
void replace(PyObject **at, PyObject *by);

/// Sets `values` of all visible inputs, and `out`. As all of these functions,
/// it returns 0 or an exception.
int take_inputs(struct call *c, PyObject *arrays, Py_ssize_t first,
                PyObject *named);

/// Sets `targets` to the arrays of `out`.
int take_out(struct call *c);

#endif

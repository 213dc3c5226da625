// The extension of the Python package: libraries, their tensors, and calls. It
// is compiled for the stable ABI of Python 3.11, so that one file serves all
// later versions.
#ifndef WEIR_TOOLS_PYTHON_NATIVE_H
#define WEIR_TOOLS_PYTHON_NATIVE_H

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "runtime/weir.h"

/// An input or an output of a function.
struct tensor {
  const weir_tensor_info *info;
  PyObject *name, *shape, *dtype; // str, tuple and numpy.dtype
  PyObject *about;                // the same for Python: _arrays.Tensor
  char kind;                      // of the elements, see element_kind
  size_t item;                    // bytes of an element
  int64_t sizes_at;               // in the sizes of a call, or -1
  int is_hidden;                  // it holds the sizes of another tensor
};

struct function {
  const weir_function_info *info;
  PyObject *name;
  PyObject *inputs, *outputs; // dict: the number of a visible tensor by name
  PyObject *input_names, *output_names; // list
  struct tensor *tensors;               // inputs, then outputs
  uint32_t *visible;                    // numbers of the visible inputs
  uint32_t num_visible, num_results;
  size_t num_sizes; // of all dynamic tensors
};

/// A loaded library. It stays loaded while a context or its variables use it.
typedef struct library {
  PyObject ob_base;
  void *handle;
  const weir_model_info *info;
  int is_gpu;
  struct function *functions;
  PyObject *numbers; // dict: the number of a function by its name
  PyObject *about;   // dict: (inputs, outputs) of a function by its name
} library;

/// A context of a library and the lock that serializes its calls.
typedef struct context {
  PyObject ob_base;
  library *library;
  void *context;
  PyThread_type_lock lock;
  PyObject *memory; // of the variables, or null
  void ***padded;   // padded buffers by function and input
  enum { never_opened, opening, opened } stage;
} context;

/// The memory of an array for the time of a call.
struct source {
  void *data;
  int ndim;
  const Py_ssize_t *shape;
  char kind;
  size_t item, bytes;
  int is_contiguous;
  Py_buffer view;
  PyObject *owner; // the array, or a capsule of DLPack; null: none
  int has_view;
};

/// The extension calls these objects of NumPy and of the package.
struct hooks {
  PyObject *error;   // class weir.Error
  PyObject *tensor;  // class _arrays.Tensor
  PyObject *convert; // an input that needs a copy or an error
  PyObject *refuse;  // raises: an array that cannot be an output
  PyObject *trim;    // the used part of an output of dynamic shape
  PyObject *empty;   // numpy.empty
};
extern struct hooks hooks;

extern PyType_Spec library_spec, context_spec, memory_spec;
extern PyTypeObject *library_type, *memory_type;

/// 'f' IEEE floating point, 'i' signed, 'u' unsigned, 'b' bool, 'w' bf16; 0:
/// other.
char element_kind(weir_dtype dtype);

/// Frees an object of a type that PyType_FromSpec made.
void free_object(PyObject *self);

/// Zeros for `bytes` of variables, aligned to `align`.
PyObject *memory_new(size_t bytes, size_t align);
void *memory_data(PyObject *memory);

/// Raises weir.Error.
void raise_status(weir_status status, const char *text);

/// Takes the memory of `value`: 1, or 0 where it has none to offer, or -1 with
/// an exception. No exception is set after 0.
int source_open(struct source *source, PyObject *value, int is_output);
void source_close(struct source *source);
/// The same of an object with __dlpack__.
int source_open_dlpack(struct source *source, PyObject *value);
/// Whether the library can read or write `source` as the tensor.
int source_matches(const struct source *source, const struct tensor *tensor);

/// Runs a function on the inputs in `arrays` from `first` on and in `named`,
/// which may be null.
PyObject *call_function(context *self, uint32_t which, PyObject *arrays,
                        Py_ssize_t first, PyObject *named);
/// Waits for the calls of other threads.
void lock_context(context *self);

#endif

// What the files of graphs for cuDNN share.
#ifndef WEIR_RUNTIME_CUDA_PLANS_H
#define WEIR_RUNTIME_CUDA_PLANS_H

#include "runtime/cuda/state.h"

// The numbers of tensors of an operation graph, for a convolution or an
// attention; a run binds addresses to them. For a gradient by a filter, results
// and filter are swapped.
enum {
  WEIR_DNN_X = 1,
  WEIR_DNN_FILTER,
  WEIR_DNN_BIAS,
  WEIR_DNN_RESIDUAL,
  WEIR_DNN_Y,
  WEIR_DNN_Q = 1,
  WEIR_DNN_K,
  WEIR_DNN_V,
  WEIR_DNN_MASK,
  WEIR_DNN_OUT,
  WEIR_DNN_ROWS,  // what is kept of each row
  WEIR_DNN_SCALE, // in the host's memory
  WEIR_DNN_INSIDE // and above: what is in no memory
};

// A row of one of the model's tables, as far as any plan goes.
typedef struct weir_dnn_row {
  const weir_gpu_conv *conv; // one of the two is null
  const weir_gpu_attention *attention;
  int32_t exact;            // factors of f32 are not to be rounded to tf32
  uint64_t workspace_bytes; // that cuDNN may use
} weir_dnn_row;
weir_dnn_row weir_dnn_row_of_conv(const weir_gpu_conv *conv);
weir_dnn_row weir_dnn_row_of_attention(const weir_gpu_attention *attention);

// WEIR_OK, or the failure of a call of cuDNN, which the text names.
weir_status weir_dnn_check_call(weir_gpu *gpu, weir_dnn_status result,
                                const char *call);
#define WEIR_DNN_CALL(gpu, name, ...)                                          \
  weir_dnn_check_call(gpu, (gpu)->dnn.name(__VA_ARGS__), #name)

// An operation graph that is being described (describe.c). Where something
// fails, nothing is done after it.
enum { WEIR_DNN_OPERATIONS = 16 };
typedef struct weir_dnn_making {
  weir_gpu *gpu;
  weir_gpu_dnn_plan *plan; // keeps what is made, until it is freed
  weir_dnn_object operations[WEIR_DNN_OPERATIONS];
  int64_t count, inside; // operations, and the next number without memory
  weir_status status;    // of the first failure
} weir_dnn_making;

weir_dnn_object weir_dnn_make(weir_dnn_making *m, int32_t type);
void weir_dnn_set(weir_dnn_making *m, weir_dnn_object object, int32_t attribute,
                  int32_t type, int64_t count, const void *elements);
void weir_dnn_set_number(weir_dnn_making *m, weir_dnn_object object,
                         int32_t attribute, int32_t type, int32_t value);
void weir_dnn_set_object(weir_dnn_making *m, weir_dnn_object object,
                         int32_t attribute, weir_dnn_object value);
weir_dnn_object weir_dnn_finish(weir_dnn_making *m, weir_dnn_object object);

// A tensor of four dimensions; without memory from WEIR_DNN_INSIDE on.
typedef struct weir_dnn_shape {
  int64_t sizes[4], strides[4];
} weir_dnn_shape;
typedef struct weir_dnn_elements {
  uint32_t dtype;
  int32_t aligned; // to 16 bytes
} weir_dnn_elements;
weir_dnn_object weir_dnn_tensor(weir_dnn_making *m, int64_t number,
                                weir_dnn_elements of,
                                const weir_dnn_shape *shape);

// A function of elements, which may be told more before it is applied to one
// tensor or, unless `with` is null, to two; `to` is what it makes.
weir_dnn_object weir_dnn_function(weir_dnn_making *m, int32_t mode);
weir_dnn_object weir_dnn_apply(weir_dnn_making *m, weir_dnn_object function,
                               weir_dnn_object of, weir_dnn_object with,
                               weir_dnn_object to);
// Finishes an operation, and makes it the graph's next.
void weir_dnn_add(weir_dnn_making *m, weir_dnn_object operation);
// The graph of all operations.
weir_dnn_object weir_dnn_graph(weir_dnn_making *m);

// What the row computes, as operations.
void weir_dnn_describe_conv(weir_dnn_making *m, const weir_gpu_conv *conv);
void weir_dnn_describe_attention(weir_dnn_making *m,
                                 const weir_gpu_attention *of);
// The failure of having no way to compute it.
weir_status weir_dnn_no_conv(weir_gpu *gpu, const weir_gpu_conv *conv);
weir_status weir_dnn_no_attention(weir_gpu *gpu,
                                  const weir_gpu_attention *attention);

// Issues a plan on these addresses, the null ones of no tensor.
weir_status weir_dnn_issue(weir_gpu_stream *stream, weir_gpu_dnn_plan *plan,
                           void *const at[WEIR_DNN_OPERANDS], void *workspace);

// Makes `plan->plan` of what another process has kept, where it fits into the
// row's workspace. 0: there is none, which is no error.
int weir_dnn_recall(weir_gpu *gpu, const weir_dnn_row *row,
                    weir_gpu_dnn_plan *plan);
// Keeps `plan->plan` for other processes, where that can be done.
void weir_dnn_keep(weir_gpu *gpu, const weir_dnn_row *row,
                   const weir_gpu_dnn_plan *plan);

// Whether a finalized plan needs no more memory than the row may use.
int weir_dnn_fits(weir_gpu *gpu, const weir_dnn_row *row, weir_dnn_object plan);

#endif

// What the files of graphs for cuDNN share.
#ifndef WEIR_RUNTIME_CUDA_PLANS_H
#define WEIR_RUNTIME_CUDA_PLANS_H

#include "runtime/cuda/state.h"

// The tensors of an operation graph, by which a run gives their addresses: of a
// convolution, or of an attention. Of a gradient by a filter the results stand
// in the filter's place, and it in theirs.
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

// Sets attributes; a failure is one of the context's.
weir_status weir_dnn_set(weir_gpu *gpu, weir_dnn_object object,
                         int32_t attribute, int32_t type, int64_t count,
                         const void *elements);
weir_status weir_dnn_set_object(weir_gpu *gpu, weir_dnn_object object,
                                int32_t attribute, weir_dnn_object value);
weir_status weir_dnn_set_number(weir_gpu *gpu, weir_dnn_object object,
                                int32_t attribute, int32_t type, int32_t value);
weir_status weir_dnn_finalize(weir_gpu *gpu, weir_dnn_object object);

// A new object, which lives until the plan is freed.
weir_status weir_dnn_make(weir_gpu *gpu, weir_gpu_dnn_plan *plan, int32_t type,
                          weir_dnn_object *object);

// A tensor of four dimensions, finalized; without memory from WEIR_DNN_INSIDE
// on.
typedef struct weir_dnn_shape {
  int64_t sizes[4], strides[4];
} weir_dnn_shape;
typedef struct weir_dnn_elements {
  uint32_t dtype;
  int32_t aligned; // to 16 bytes
} weir_dnn_elements;
weir_status weir_dnn_tensor(weir_gpu *gpu, weir_gpu_dnn_plan *plan,
                            int64_t number, weir_dnn_elements of,
                            const weir_dnn_shape *shape, weir_dnn_object *made);
// A graph of these operations, finalized.
weir_status weir_dnn_graph(weir_gpu *gpu, weir_gpu_dnn_plan *plan,
                           const weir_dnn_object *operations, int64_t count,
                           weir_dnn_object *graph);

// The row as an operation graph, finalized.
weir_status weir_dnn_describe_conv(weir_gpu *gpu, const weir_gpu_conv *conv,
                                   weir_gpu_dnn_plan *plan,
                                   weir_dnn_object *graph);
weir_status weir_dnn_describe_attention(weir_gpu *gpu,
                                        const weir_gpu_attention *attention,
                                        weir_gpu_dnn_plan *plan,
                                        weir_dnn_object *graph);
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

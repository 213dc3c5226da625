// What the files of convolutions by cuDNN share.
#ifndef WEIR_RUNTIME_CUDA_CONVOLUTION_H
#define WEIR_RUNTIME_CUDA_CONVOLUTION_H

#include "runtime/cuda/state.h"

// The tensors of an operation graph, by which a run gives their addresses. Of a
// gradient by a filter the results stand in the filter's place, and it in
// theirs.
enum {
  WEIR_DNN_X = 1,
  WEIR_DNN_FILTER,
  WEIR_DNN_BIAS,
  WEIR_DNN_RESIDUAL,
  WEIR_DNN_Y,
  WEIR_DNN_INSIDE // and above: what is in no memory
};

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

// A new object, which lives until the plan is freed.
weir_status weir_dnn_make(weir_gpu *gpu, weir_gpu_conv_plan *plan, int32_t type,
                          weir_dnn_object *object);

// The convolution as an operation graph, finalized.
weir_status weir_dnn_describe(weir_gpu *gpu, const weir_gpu_conv *conv,
                              weir_gpu_conv_plan *plan, weir_dnn_object *graph);

// Makes `plan->plan` of what another process has kept, where it fits into the
// convolution's workspace. 0: there is none, which is no error.
int weir_dnn_recall(weir_gpu *gpu, const weir_gpu_conv *conv,
                    weir_gpu_conv_plan *plan);
// Keeps `plan->plan` for other processes, where that can be done.
void weir_dnn_keep(weir_gpu *gpu, const weir_gpu_conv *conv,
                   const weir_gpu_conv_plan *plan);

// Whether a finalized plan needs no more memory than the convolution may use.
int weir_dnn_fits(weir_gpu *gpu, const weir_gpu_conv *conv,
                  weir_dnn_object plan);

#endif

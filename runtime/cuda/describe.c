// A convolution as cuDNN's operation graph: the sums, and what is done to them
// before they are in memory.

#include "runtime/cuda/convolution.h"

static weir_status set_number(weir_gpu *gpu, weir_dnn_object object,
                              int32_t attribute, int32_t type, int32_t value) {
  return weir_dnn_set(gpu, object, attribute, type, 1, &value);
}

static weir_status set_pair(weir_gpu *gpu, weir_dnn_object object,
                            int32_t attribute, const int64_t *values) {
  return weir_dnn_set(gpu, object, attribute, CUDNN_TYPE_INT64_, 2, values);
}

static weir_status set_one(weir_gpu *gpu, weir_dnn_object object,
                           int32_t attribute, int64_t value) {
  return weir_dnn_set(gpu, object, attribute, CUDNN_TYPE_INT64_, 1, &value);
}

static weir_status finalize(weir_gpu *gpu, weir_dnn_object object) {
  return WEIR_DNN_CALL(gpu, cudnnBackendFinalize, object);
}

static int32_t type_of(weir_dtype dtype) {
  return dtype == WEIR_F16
             ? CUDNN_DATA_HALF_
             : (dtype == WEIR_BF16 ? CUDNN_DATA_BFLOAT16_ : CUDNN_DATA_FLOAT_);
}

// A tensor whose channels are last in memory. cuDNN counts images, channels,
// height and width, however they lie. What is inside of the graph is of f32.
static weir_status tensor(weir_gpu *gpu, const weir_gpu_conv *conv,
                          weir_gpu_conv_plan *plan, int64_t number, int64_t n,
                          int64_t c, int64_t h, int64_t w,
                          weir_dnn_object *made) {
  int64_t sizes[] = {n, c, h, w}, strides[] = {h * w * c, 1, w * c, c};
  unsigned char inside = number >= WEIR_DNN_INSIDE;
  int64_t alignment = !(conv->flags & WEIR_CONV_UNALIGNED)
                          ? 16
                          : (conv->dtype == WEIR_F32 ? 4 : 2);
  weir_status status = weir_dnn_make(gpu, plan, CUDNN_BACKEND_TENSOR_, made);
  if (!status)
    status = set_number(gpu, *made, CUDNN_ATTR_TENSOR_DATA_TYPE_,
                        CUDNN_TYPE_DATA_TYPE_,
                        inside ? CUDNN_DATA_FLOAT_ : type_of(conv->dtype));
  if (!status)
    status = weir_dnn_set(gpu, *made, CUDNN_ATTR_TENSOR_DIMENSIONS_,
                          CUDNN_TYPE_INT64_, 4, sizes);
  if (!status)
    status = weir_dnn_set(gpu, *made, CUDNN_ATTR_TENSOR_STRIDES_,
                          CUDNN_TYPE_INT64_, 4, strides);
  if (!status)
    status = set_one(gpu, *made, CUDNN_ATTR_TENSOR_UNIQUE_ID_, number);
  if (!status)
    status = set_one(gpu, *made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT_, alignment);
  if (!status)
    status = weir_dnn_set(gpu, *made, CUDNN_ATTR_TENSOR_IS_VIRTUAL_,
                          CUDNN_TYPE_BOOLEAN_, 1, &inside);
  return status ? status : finalize(gpu, *made);
}

// The convolution's result where `number` says.
static weir_status result(weir_gpu *gpu, const weir_gpu_conv *conv,
                          weir_gpu_conv_plan *plan, int64_t number,
                          weir_dnn_object *made) {
  return tensor(gpu, conv, plan, number, conv->images, conv->outputs,
                conv->result[0], conv->result[1], made);
}

static weir_status windows(weir_gpu *gpu, const weir_gpu_conv *conv,
                           weir_gpu_conv_plan *plan, weir_dnn_object *made) {
  weir_status status =
      weir_dnn_make(gpu, plan, CUDNN_BACKEND_CONVOLUTION_, made);
  if (!status)
    status = set_number(gpu, *made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE_,
                        CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  if (!status)
    status = set_number(gpu, *made, CUDNN_ATTR_CONVOLUTION_CONV_MODE_,
                        CUDNN_TYPE_CONVOLUTION_MODE_, CUDNN_CROSS_CORRELATION_);
  if (!status)
    status = set_one(gpu, *made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS_, 2);
  if (!status)
    status = set_pair(gpu, *made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES_,
                      conv->strides);
  if (!status)
    status = set_pair(gpu, *made, CUDNN_ATTR_CONVOLUTION_DILATIONS_,
                      conv->dilations);
  if (!status)
    status = set_pair(gpu, *made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS_,
                      conv->before);
  if (!status)
    status = set_pair(gpu, *made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS_,
                      conv->after);
  return status ? status : finalize(gpu, *made);
}

// Each output's window, channels last, where `number` says.
static weir_status filters(weir_gpu *gpu, const weir_gpu_conv *conv,
                           weir_gpu_conv_plan *plan, int64_t number,
                           weir_dnn_object *made) {
  return tensor(gpu, conv, plan, number, conv->outputs,
                conv->inputs / conv->groups, conv->window[0], conv->window[1],
                made);
}

// How an operation names its parts.
typedef struct names {
  int32_t operation, windows, x, filter, result, alpha, beta;
} names;

static const names
    forward = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA_,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA_},
    by_filter = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA_,
                 CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA_};

// One of the filter and the result is made of the other, and of the images.
static weir_status sums(weir_gpu *gpu, const weir_gpu_conv *conv,
                        weir_gpu_conv_plan *plan, weir_dnn_object filter,
                        weir_dnn_object results, weir_dnn_object *made) {
  static const float one = 1, zero = 0;
  const names *of = conv->flags & WEIR_CONV_GRADIENT ? &by_filter : &forward;
  weir_dnn_object x, how;
  weir_status status = tensor(gpu, conv, plan, WEIR_DNN_X, conv->images,
                              conv->inputs, conv->size[0], conv->size[1], &x);
  if (!status)
    status = windows(gpu, conv, plan, &how);
  if (!status)
    status = weir_dnn_make(gpu, plan, of->operation, made);
  if (!status)
    status = weir_dnn_set_object(gpu, *made, of->windows, how);
  if (!status)
    status = weir_dnn_set_object(gpu, *made, of->x, x);
  if (!status)
    status = weir_dnn_set_object(gpu, *made, of->filter, filter);
  if (!status)
    status = weir_dnn_set_object(gpu, *made, of->result, results);
  if (!status)
    status = weir_dnn_set(gpu, *made, of->alpha, CUDNN_TYPE_FLOAT_, 1, &one);
  if (!status)
    status = weir_dnn_set(gpu, *made, of->beta, CUDNN_TYPE_FLOAT_, 1, &zero);
  return status ? status : finalize(gpu, *made);
}

// What a relu makes of NaN and of what is large.
static weir_status bound(weir_gpu *gpu, const weir_gpu_conv *conv,
                         weir_dnn_object relu) {
  float most = (float)conv->clip;
  weir_status status =
      set_number(gpu, relu, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION_,
                 CUDNN_TYPE_NAN_PROPAGATION_, CUDNN_PROPAGATE_NAN_);
  if (!status && conv->flags & WEIR_CONV_CLIP)
    status = weir_dnn_set(gpu, relu, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP_,
                          CUDNN_TYPE_FLOAT_, 1, &most);
  return status;
}

// An addition of two tensors, or the relu of one, `with` being null.
static weir_status pointwise(weir_gpu *gpu, const weir_gpu_conv *conv,
                             weir_gpu_conv_plan *plan, weir_dnn_object of,
                             weir_dnn_object with, weir_dnn_object to,
                             weir_dnn_object *made) {
  weir_dnn_object how;
  weir_status status = weir_dnn_make(gpu, plan, CUDNN_BACKEND_POINTWISE_, &how);
  if (!status)
    status = set_number(
        gpu, how, CUDNN_ATTR_POINTWISE_MODE_, CUDNN_TYPE_POINTWISE_MODE_,
        with ? CUDNN_POINTWISE_ADD_ : CUDNN_POINTWISE_RELU_FWD_);
  if (!status)
    status = set_number(gpu, how, CUDNN_ATTR_POINTWISE_MATH_PREC_,
                        CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  if (!status && !with)
    status = bound(gpu, conv, how);
  if (!status)
    status = finalize(gpu, how);
  if (!status)
    status = weir_dnn_make(gpu, plan, CUDNN_BACKEND_OPERATION_POINTWISE_, made);
  if (!status)
    status = weir_dnn_set_object(
        gpu, *made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR_, how);
  if (!status)
    status = weir_dnn_set_object(gpu, *made,
                                 CUDNN_ATTR_OPERATION_POINTWISE_XDESC_, of);
  if (!status && with)
    status = weir_dnn_set_object(gpu, *made,
                                 CUDNN_ATTR_OPERATION_POINTWISE_BDESC_, with);
  if (!status)
    status = weir_dnn_set_object(gpu, *made,
                                 CUDNN_ATTR_OPERATION_POINTWISE_YDESC_, to);
  return status ? status : finalize(gpu, *made);
}

weir_status weir_dnn_describe(weir_gpu *gpu, const weir_gpu_conv *conv,
                              weir_gpu_conv_plan *plan,
                              weir_dnn_object *graph) {
  enum { most = 4 };
  static const uint32_t steps[] = {WEIR_CONV_BIAS, WEIR_CONV_RESIDUAL,
                                   WEIR_CONV_RELU};
  weir_dnn_object operations[most], filter, value, next, with;
  int64_t count = 0, inside = WEIR_DNN_INSIDE;
  int gradient = (conv->flags & WEIR_CONV_GRADIENT) != 0;
  uint32_t left =
      gradient ? 0
               : conv->flags &
                     (WEIR_CONV_BIAS | WEIR_CONV_RESIDUAL | WEIR_CONV_RELU);
  weir_status status = filters(
      gpu, conv, plan, gradient ? WEIR_DNN_Y : WEIR_DNN_FILTER, &filter);
  if (!status)
    status = result(gpu, conv, plan,
                    gradient ? WEIR_DNN_FILTER
                    : left   ? inside++
                             : WEIR_DNN_Y,
                    &value);
  if (!status)
    status = sums(gpu, conv, plan, filter, value, &operations[count++]);
  for (int i = 0; i < most - 1 && !status; ++i) {
    if (!(left & steps[i]))
      continue;
    left &= ~steps[i];
    with = NULL;
    if (steps[i] == WEIR_CONV_BIAS)
      status =
          tensor(gpu, conv, plan, WEIR_DNN_BIAS, 1, conv->outputs, 1, 1, &with);
    else if (steps[i] == WEIR_CONV_RESIDUAL)
      status = result(gpu, conv, plan, WEIR_DNN_RESIDUAL, &with);
    if (!status)
      status = result(gpu, conv, plan, left ? inside++ : WEIR_DNN_Y, &next);
    if (!status)
      status =
          pointwise(gpu, conv, plan, value, with, next, &operations[count++]);
    value = next;
  }
  if (!status)
    status = weir_dnn_make(gpu, plan, CUDNN_BACKEND_OPERATIONGRAPH_, graph);
  if (!status)
    status = weir_dnn_set(gpu, *graph, CUDNN_ATTR_OPERATIONGRAPH_OPS_,
                          CUDNN_TYPE_BACKEND_DESCRIPTOR_, count, operations);
  if (!status)
    status = weir_dnn_set(gpu, *graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE_,
                          CUDNN_TYPE_HANDLE_, 1, &gpu->dnn_handle);
  return status ? status : finalize(gpu, *graph);
}

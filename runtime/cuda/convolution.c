// Convolutions by cuDNN: its operation graph is the sums, and what is done to
// them before they are in memory.

#include "runtime/cuda/plans.h"

static weir_status set_pair(weir_gpu *gpu, weir_dnn_object object,
                            int32_t attribute, const int64_t *values) {
  return weir_dnn_set(gpu, object, attribute, CUDNN_TYPE_INT64_, 2, values);
}

static weir_status set_one(weir_gpu *gpu, weir_dnn_object object,
                           int32_t attribute, int64_t value) {
  return weir_dnn_set(gpu, object, attribute, CUDNN_TYPE_INT64_, 1, &value);
}

// A tensor whose channels are last in memory. cuDNN counts images, channels,
// height and width, however they lie. What is inside of the graph is of f32.
static weir_status tensor(weir_gpu *gpu, const weir_gpu_conv *conv,
                          weir_gpu_dnn_plan *plan, int64_t number, int64_t n,
                          int64_t c, int64_t h, int64_t w,
                          weir_dnn_object *made) {
  weir_dnn_shape shape = {{n, c, h, w}, {h * w * c, 1, w * c, c}};
  weir_dnn_elements of = {number >= WEIR_DNN_INSIDE ? WEIR_F32 : conv->dtype,
                          !(conv->flags & WEIR_CONV_UNALIGNED)};
  return weir_dnn_tensor(gpu, plan, number, of, &shape, made);
}

// The convolution's result where `number` says.
static weir_status result(weir_gpu *gpu, const weir_gpu_conv *conv,
                          weir_gpu_dnn_plan *plan, int64_t number,
                          weir_dnn_object *made) {
  return tensor(gpu, conv, plan, number, conv->images, conv->outputs,
                conv->result[0], conv->result[1], made);
}

static weir_status windows(weir_gpu *gpu, const weir_gpu_conv *conv,
                           weir_gpu_dnn_plan *plan, weir_dnn_object *made) {
  weir_status status =
      weir_dnn_make(gpu, plan, CUDNN_BACKEND_CONVOLUTION_, made);
  if (!status)
    status = weir_dnn_set_number(gpu, *made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE_,
                                 CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  if (!status)
    status = weir_dnn_set_number(gpu, *made, CUDNN_ATTR_CONVOLUTION_CONV_MODE_,
                                 CUDNN_TYPE_CONVOLUTION_MODE_,
                                 CUDNN_CROSS_CORRELATION_);
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
  return status ? status : weir_dnn_finalize(gpu, *made);
}

// Each output's window, channels last, where `number` says.
static weir_status filters(weir_gpu *gpu, const weir_gpu_conv *conv,
                           weir_gpu_dnn_plan *plan, int64_t number,
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
                        weir_gpu_dnn_plan *plan, weir_dnn_object filter,
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
  return status ? status : weir_dnn_finalize(gpu, *made);
}

// What a relu makes of NaN and of what is large.
static weir_status bound(weir_gpu *gpu, const weir_gpu_conv *conv,
                         weir_dnn_object relu) {
  float most = (float)conv->clip;
  weir_status status =
      weir_dnn_set_number(gpu, relu, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION_,
                          CUDNN_TYPE_NAN_PROPAGATION_, CUDNN_PROPAGATE_NAN_);
  if (!status && conv->flags & WEIR_CONV_CLIP)
    status = weir_dnn_set(gpu, relu, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP_,
                          CUDNN_TYPE_FLOAT_, 1, &most);
  return status;
}

// An addition of two tensors, or the relu of one, `with` being null.
static weir_status pointwise(weir_gpu *gpu, const weir_gpu_conv *conv,
                             weir_gpu_dnn_plan *plan, weir_dnn_object of,
                             weir_dnn_object with, weir_dnn_object to,
                             weir_dnn_object *made) {
  weir_dnn_object how;
  weir_status status = weir_dnn_make(gpu, plan, CUDNN_BACKEND_POINTWISE_, &how);
  if (!status)
    status = weir_dnn_set_number(
        gpu, how, CUDNN_ATTR_POINTWISE_MODE_, CUDNN_TYPE_POINTWISE_MODE_,
        with ? CUDNN_POINTWISE_ADD_ : CUDNN_POINTWISE_RELU_FWD_);
  if (!status)
    status = weir_dnn_set_number(gpu, how, CUDNN_ATTR_POINTWISE_MATH_PREC_,
                                 CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  if (!status && !with)
    status = bound(gpu, conv, how);
  if (!status)
    status = weir_dnn_finalize(gpu, how);
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
  return status ? status : weir_dnn_finalize(gpu, *made);
}

weir_status weir_dnn_describe_conv(weir_gpu *gpu, const weir_gpu_conv *conv,
                                   weir_gpu_dnn_plan *plan,
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
  return status ? status : weir_dnn_graph(gpu, plan, operations, count, graph);
}

weir_dnn_row weir_dnn_row_of_conv(const weir_gpu_conv *conv) {
  int32_t exact = conv->dtype == WEIR_F32 && !(conv->flags & WEIR_CONV_TF32);
  return (weir_dnn_row){conv, NULL, exact, conv->workspace_bytes};
}

weir_status weir_dnn_no_conv(weir_gpu *gpu, const weir_gpu_conv *conv) {
  weir_gpu_number n, h, w, c, outputs, y, x, bytes;
  return WEIR_GPU_FAIL(
      gpu, WEIR_ERR_GPU, "cuDNN has no way to ",
      conv->flags & WEIR_CONV_GRADIENT ? "find the gradient by the filter of "
                                       : "convolve ",
      weir_gpu_decimal(&n, (uint64_t)conv->images), "x",
      weir_gpu_decimal(&h, (uint64_t)conv->size[0]), "x",
      weir_gpu_decimal(&w, (uint64_t)conv->size[1]), "x",
      weir_gpu_decimal(&c, (uint64_t)conv->inputs), " with ",
      weir_gpu_decimal(&outputs, (uint64_t)conv->outputs), " filters of ",
      weir_gpu_decimal(&y, (uint64_t)conv->window[0]), "x",
      weir_gpu_decimal(&x, (uint64_t)conv->window[1]), " within ",
      weir_gpu_in_bytes(&bytes, conv->workspace_bytes), " of workspace");
}

int32_t weir_gpu_convolve(weir_gpu_stream *stream, uint32_t number,
                          const void *x, const void *filter, const void *bias,
                          const void *residual, void *y) {
  weir_gpu *gpu = stream->gpu;
  if (number >= gpu->model->num_convs) {
    WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                  "the model convolves by a plan that it does not have");
    return WEIR_GPU_FAILED;
  }
  uint32_t flags = gpu->model->convs[number].flags;
  void *at[WEIR_DNN_OPERANDS] = {
      (void *)x, (void *)filter, flags & WEIR_CONV_BIAS ? (void *)bias : NULL,
      flags & WEIR_CONV_RESIDUAL ? (void *)residual : NULL, y};
  weir_status status = weir_dnn_issue(stream, &gpu->dnn_plans[number], at,
                                      (void *)gpu->workspace);
  return status ? WEIR_GPU_FAILED : 0;
}

// Convolutions by cuDNN: its operation graph is the sums, and what is done to
// them before they are in memory.

#include "runtime/cuda/plans.h"

// A tensor whose channels are last in memory. cuDNN counts images, channels,
// height and width, however they lie. What is inside of the graph is of f32.
static weir_dnn_object tensor(weir_dnn_making *m, const weir_gpu_conv *conv,
                              int64_t number, int64_t n, int64_t c, int64_t h,
                              int64_t w) {
  weir_dnn_shape shape = {{n, c, h, w}, {h * w * c, 1, w * c, c}};
  weir_dnn_elements of = {number >= WEIR_DNN_INSIDE ? WEIR_F32 : conv->dtype,
                          !(conv->flags & WEIR_CONV_UNALIGNED)};
  return weir_dnn_tensor(m, number, of, &shape);
}

// The convolution's result where `number` says.
static weir_dnn_object result(weir_dnn_making *m, const weir_gpu_conv *conv,
                              int64_t number) {
  return tensor(m, conv, number, conv->images, conv->outputs, conv->result[0],
                conv->result[1]);
}

// Each output's window, channels last, where `number` says.
static weir_dnn_object filters(weir_dnn_making *m, const weir_gpu_conv *conv,
                               int64_t number) {
  return tensor(m, conv, number, conv->outputs, conv->inputs / conv->groups,
                conv->window[0], conv->window[1]);
}

static weir_dnn_object windows(weir_dnn_making *m, const weir_gpu_conv *conv) {
  static const int64_t dims = 2;
  const struct {
    int32_t attribute;
    const int64_t *values;
  } pairs[] = {{CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES_, conv->strides},
               {CUDNN_ATTR_CONVOLUTION_DILATIONS_, conv->dilations},
               {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS_, conv->before},
               {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS_, conv->after}};
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_CONVOLUTION_);
  weir_dnn_set_number(m, made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE_,
                      CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  weir_dnn_set_number(m, made, CUDNN_ATTR_CONVOLUTION_CONV_MODE_,
                      CUDNN_TYPE_CONVOLUTION_MODE_, CUDNN_CROSS_CORRELATION_);
  weir_dnn_set(m, made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS_, CUDNN_TYPE_INT64_,
               1, &dims);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    weir_dnn_set(m, made, pairs[i].attribute, CUDNN_TYPE_INT64_, dims,
                 pairs[i].values);
  return weir_dnn_finish(m, made);
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
static void sum(weir_dnn_making *m, const weir_gpu_conv *conv,
                weir_dnn_object filter, weir_dnn_object results) {
  static const float one = 1, zero = 0;
  const names *of = conv->flags & WEIR_CONV_GRADIENT ? &by_filter : &forward;
  weir_dnn_object x = tensor(m, conv, WEIR_DNN_X, conv->images, conv->inputs,
                             conv->size[0], conv->size[1]);
  weir_dnn_object how = windows(m, conv);
  weir_dnn_object made = weir_dnn_make(m, of->operation);
  weir_dnn_set_object(m, made, of->windows, how);
  weir_dnn_set_object(m, made, of->x, x);
  weir_dnn_set_object(m, made, of->filter, filter);
  weir_dnn_set_object(m, made, of->result, results);
  weir_dnn_set(m, made, of->alpha, CUDNN_TYPE_FLOAT_, 1, &one);
  weir_dnn_set(m, made, of->beta, CUDNN_TYPE_FLOAT_, 1, &zero);
  weir_dnn_add(m, made);
}

// A relu, with what it makes of NaN and of what is large.
static weir_dnn_object relu(weir_dnn_making *m, const weir_gpu_conv *conv) {
  float most = (float)conv->clip;
  weir_dnn_object made = weir_dnn_function(m, CUDNN_POINTWISE_RELU_FWD_);
  weir_dnn_set_number(m, made, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION_,
                      CUDNN_TYPE_NAN_PROPAGATION_, CUDNN_PROPAGATE_NAN_);
  if (conv->flags & WEIR_CONV_CLIP)
    weir_dnn_set(m, made, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP_,
                 CUDNN_TYPE_FLOAT_, 1, &most);
  return made;
}

static void describe_gradient(weir_dnn_making *m, const weir_gpu_conv *conv) {
  weir_dnn_object filter = filters(m, conv, WEIR_DNN_Y);
  sum(m, conv, filter, result(m, conv, WEIR_DNN_FILTER));
}

static void describe_forward(weir_dnn_making *m, const weir_gpu_conv *conv) {
  static const uint32_t steps[] = {WEIR_CONV_BIAS, WEIR_CONV_RESIDUAL,
                                   WEIR_CONV_RELU};
  uint32_t left =
      conv->flags & (WEIR_CONV_BIAS | WEIR_CONV_RESIDUAL | WEIR_CONV_RELU);
  weir_dnn_object filter = filters(m, conv, WEIR_DNN_FILTER);
  weir_dnn_object value = result(m, conv, left ? m->inside++ : WEIR_DNN_Y);
  sum(m, conv, filter, value);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    if (!(left & steps[i]))
      continue;
    left &= ~steps[i];
    weir_dnn_object with = NULL;
    if (steps[i] == WEIR_CONV_BIAS)
      with = tensor(m, conv, WEIR_DNN_BIAS, 1, conv->outputs, 1, 1);
    else if (steps[i] == WEIR_CONV_RESIDUAL)
      with = result(m, conv, WEIR_DNN_RESIDUAL);
    weir_dnn_object next = result(m, conv, left ? m->inside++ : WEIR_DNN_Y);
    weir_dnn_object how = steps[i] == WEIR_CONV_RELU
                              ? relu(m, conv)
                              : weir_dnn_function(m, CUDNN_POINTWISE_ADD_);
    value = weir_dnn_apply(m, how, value, with, next);
  }
}

void weir_dnn_describe_conv(weir_dnn_making *m, const weir_gpu_conv *conv) {
  if (conv->flags & WEIR_CONV_GRADIENT)
    describe_gradient(m, conv);
  else
    describe_forward(m, conv);
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

// Attentions by cuDNN. Its operation graph is both products and, step by step,
// the softmax between them, which cuDNN knows as one: it then never has the
// scores in memory. It wants to keep the logarithm of each row's sum, that of a
// gradient; the graph without it is taken for one that has dropout, and
// refused.

#include "runtime/cuda/plans.h"

static weir_dnn_object tensor(weir_dnn_making *m, const weir_gpu_attention *of,
                              int64_t number, uint32_t dtype, int64_t rows,
                              int64_t columns, const int64_t strides[4]) {
  weir_dnn_shape shape = {{of->batch, of->heads, rows, columns},
                          {strides[0], strides[1], strides[2], strides[3]}};
  weir_dnn_elements elements = {dtype, !(of->flags & WEIR_ATTENTION_UNALIGNED)};
  return weir_dnn_tensor(m, number, elements, &shape);
}

// Scores, or what they become, and a value of each row.
static weir_dnn_object scores(weir_dnn_making *m, const weir_gpu_attention *of,
                              uint32_t dtype) {
  int64_t strides[] = {of->heads * of->rows * of->columns,
                       of->rows * of->columns, of->columns, 1};
  return tensor(m, of, m->inside++, dtype, of->rows, of->columns, strides);
}

static weir_dnn_object values(weir_dnn_making *m, const weir_gpu_attention *of,
                              int64_t number) {
  int64_t strides[] = {of->heads * of->rows, of->rows, 1, 1};
  return tensor(m, of, number, WEIR_F32, of->rows, 1, strides);
}

// An operand as it lies; turned it is columns of these rows.
static weir_dnn_object operand(weir_dnn_making *m, const weir_gpu_attention *of,
                               int64_t number, int64_t rows, int64_t columns,
                               const int64_t *strides, int turned) {
  int64_t lies[] = {strides[0], strides[1], turned ? 1 : strides[2],
                    turned ? strides[2] : 1};
  return tensor(m, of, number, of->dtype, turned ? columns : rows,
                turned ? rows : columns, lies);
}

static weir_dnn_object multiply(weir_dnn_making *m, weir_dnn_object a,
                                weir_dnn_object b, weir_dnn_object to) {
  weir_dnn_object how = weir_dnn_make(m, CUDNN_BACKEND_MATMUL_);
  weir_dnn_set_number(m, how, CUDNN_ATTR_MATMUL_COMP_TYPE_,
                      CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  weir_dnn_finish(m, how);
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_OPERATION_MATMUL_);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_MATMUL_ADESC_, a);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_MATMUL_BDESC_, b);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_MATMUL_CDESC_, to);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_MATMUL_DESC_, how);
  weir_dnn_add(m, made);
  return to;
}

static weir_dnn_object apply(weir_dnn_making *m, int32_t mode,
                             weir_dnn_object of, weir_dnn_object with,
                             weir_dnn_object to) {
  return weir_dnn_apply(m, weir_dnn_function(m, mode), of, with, to);
}

static weir_dnn_object reduce(weir_dnn_making *m, int32_t by,
                              weir_dnn_object of, weir_dnn_object to) {
  weir_dnn_object how = weir_dnn_make(m, CUDNN_BACKEND_REDUCTION_);
  weir_dnn_set_number(m, how, CUDNN_ATTR_REDUCTION_COMP_TYPE_,
                      CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  weir_dnn_set_number(m, how, CUDNN_ATTR_REDUCTION_OPERATOR_,
                      CUDNN_TYPE_REDUCTION_OPERATOR_TYPE_, by);
  weir_dnn_finish(m, how);
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_OPERATION_REDUCTION_);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_REDUCTION_XDESC_, of);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_REDUCTION_YDESC_, to);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_REDUCTION_DESC_, how);
  weir_dnn_add(m, made);
  return to;
}

// A number of the host's.
static weir_dnn_object number(weir_dnn_making *m) {
  weir_dnn_shape one = {{1, 1, 1, 1}, {1, 1, 1, 1}};
  weir_dnn_elements elements = {WEIR_F32, 1};
  return weir_dnn_tensor(m, WEIR_DNN_SCALE, elements, &one);
}

// Where a stride is 0, there is one for all.
static weir_dnn_object mask(weir_dnn_making *m, const weir_gpu_attention *of) {
  int64_t sizes[] = {of->mask[0] ? of->batch : 1, of->mask[1] ? of->heads : 1,
                     of->mask[2] ? of->rows : 1, of->columns};
  weir_dnn_shape shape = {{sizes[0], sizes[1], sizes[2], sizes[3]}, {0}};
  // Those of one element say what the next ones would be at.
  shape.strides[3] = 1;
  for (int i = 2; i >= 0; --i)
    shape.strides[i] =
        of->mask[i] ? of->mask[i] : shape.strides[i + 1] * sizes[i + 1];
  weir_dnn_elements elements = {of->dtype,
                                !(of->flags & WEIR_ATTENTION_UNALIGNED)};
  return weir_dnn_tensor(m, WEIR_DNN_MASK, elements, &shape);
}

void weir_dnn_describe_attention(weir_dnn_making *m,
                                 const weir_gpu_attention *of) {
  weir_dnn_object q =
      operand(m, of, WEIR_DNN_Q, of->rows, of->depth, of->q, /*turned=*/0);
  weir_dnn_object k =
      operand(m, of, WEIR_DNN_K, of->columns, of->depth, of->k, /*turned=*/1);
  weir_dnn_object v =
      operand(m, of, WEIR_DNN_V, of->columns, of->width, of->v, /*turned=*/0);
  weir_dnn_object out =
      operand(m, of, WEIR_DNN_OUT, of->rows, of->width, of->out, /*turned=*/0);
  weir_dnn_object x = multiply(m, q, k, scores(m, of, WEIR_F32));
  x = apply(m, CUDNN_POINTWISE_MUL_, x, number(m), scores(m, of, WEIR_F32));
  if (of->flags & WEIR_ATTENTION_MASK)
    x = apply(m, CUDNN_POINTWISE_ADD_, x, mask(m, of), scores(m, of, WEIR_F32));
  weir_dnn_object most =
      reduce(m, CUDNN_REDUCE_TENSOR_MAX_, x, values(m, of, m->inside++));
  x = apply(m, CUDNN_POINTWISE_SUB_, x, most, scores(m, of, WEIR_F32));
  x = apply(m, CUDNN_POINTWISE_EXP_, x, NULL, scores(m, of, WEIR_F32));
  weir_dnn_object sum =
      reduce(m, CUDNN_REDUCE_TENSOR_ADD_, x, values(m, of, m->inside++));
  weir_dnn_object logarithm =
      apply(m, CUDNN_POINTWISE_LOG_, sum, NULL, values(m, of, m->inside++));
  apply(m, CUDNN_POINTWISE_ADD_, most, logarithm, values(m, of, WEIR_DNN_ROWS));
  x = apply(m, CUDNN_POINTWISE_DIV_, x, sum, scores(m, of, of->dtype));
  multiply(m, x, v, out);
}

// What is kept of the rows lies before what cuDNN uses.
static uint64_t bytes_of_rows(const weir_gpu_attention *of) {
  uint64_t bytes = 4 * (uint64_t)(of->batch * of->heads * of->rows);
  return (bytes + WEIR_GPU_ALIGN - 1) / WEIR_GPU_ALIGN * WEIR_GPU_ALIGN;
}

weir_dnn_row weir_dnn_row_of_attention(const weir_gpu_attention *of) {
  uint64_t own = bytes_of_rows(of);
  return (weir_dnn_row){
      NULL, of, 0, of->workspace_bytes > own ? of->workspace_bytes - own : 0};
}

weir_status weir_dnn_no_attention(weir_gpu *gpu, const weir_gpu_attention *of) {
  weir_gpu_number b, h, rows, columns, depth, width, bytes;
  return WEIR_GPU_FAIL(
      gpu, WEIR_ERR_GPU, "cuDNN has no way to attend with ",
      weir_gpu_decimal(&b, (uint64_t)of->batch), "x",
      weir_gpu_decimal(&h, (uint64_t)of->heads), " heads of ",
      weir_gpu_decimal(&depth, (uint64_t)of->depth), " elements from ",
      weir_gpu_decimal(&rows, (uint64_t)of->rows), " rows to ",
      weir_gpu_decimal(&columns, (uint64_t)of->columns), " with values of ",
      weir_gpu_decimal(&width, (uint64_t)of->width), " within ",
      weir_gpu_in_bytes(&bytes, of->workspace_bytes), " of workspace");
}

int32_t weir_gpu_attend(weir_gpu_stream *stream, uint32_t number, const void *q,
                        const void *k, const void *v, const void *mask,
                        void *out) {
  weir_gpu *gpu = stream->gpu;
  const weir_gpu_model *model = gpu->model;
  if (number >= model->num_attentions) {
    WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                  "the model attends by a plan that it does not have");
    return WEIR_GPU_FAILED;
  }
  const weir_gpu_attention *of = &model->attentions[number];
  weir_gpu_dnn_plan *plan = &gpu->dnn_plans[model->num_convs + number];
  plan->scale = (float)of->scale;
  void *at[WEIR_DNN_OPERANDS] = {
      (void *)q,   (void *)k,
      (void *)v,   of->flags & WEIR_ATTENTION_MASK ? (void *)mask : NULL,
      out,         (void *)gpu->workspace,
      &plan->scale};
  weir_status status = weir_dnn_issue(
      stream, plan, at, (void *)(gpu->workspace + bytes_of_rows(of)));
  return status ? WEIR_GPU_FAILED : 0;
}

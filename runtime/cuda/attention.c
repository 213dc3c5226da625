// Attentions by cuDNN. Its operation graph is both products and, step by step,
// the softmax between them, which cuDNN knows as one: it then never has the
// scores in memory. It wants to keep the logarithm of each row's sum, that of a
// gradient; the graph without it is taken for one that has dropout, and
// refused.

#include "runtime/cuda/plans.h"

// What is being described.
typedef struct making {
  weir_gpu *gpu;
  const weir_gpu_attention *of;
  weir_gpu_dnn_plan *plan;
  weir_dnn_object operations[16];
  int64_t count, inside; // operations, and the next number without memory
  weir_status status;    // of the first failure; nothing is done after it
} making;

static weir_dnn_object make(making *m, int32_t type) {
  weir_dnn_object object = NULL;
  if (!m->status)
    m->status = weir_dnn_make(m->gpu, m->plan, type, &object);
  return object;
}

static void set_code(making *m, weir_dnn_object object, int32_t attribute,
                     int32_t type, int32_t value) {
  if (!m->status)
    m->status = weir_dnn_set_number(m->gpu, object, attribute, type, value);
}

static void set_part(making *m, weir_dnn_object object, int32_t attribute,
                     weir_dnn_object part) {
  if (!m->status)
    m->status = weir_dnn_set_object(m->gpu, object, attribute, part);
}

static weir_dnn_object finish(making *m, weir_dnn_object object) {
  if (!m->status)
    m->status = weir_dnn_finalize(m->gpu, object);
  return object;
}

static weir_dnn_object tensor(making *m, int64_t number, uint32_t dtype,
                              int64_t rows, int64_t columns,
                              const int64_t strides[4]) {
  weir_dnn_shape shape = {{m->of->batch, m->of->heads, rows, columns},
                          {strides[0], strides[1], strides[2], strides[3]}};
  weir_dnn_elements of = {dtype, !(m->of->flags & WEIR_ATTENTION_UNALIGNED)};
  weir_dnn_object made = NULL;
  if (!m->status)
    m->status = weir_dnn_tensor(m->gpu, m->plan, number, of, &shape, &made);
  return made;
}

// Scores, or what they become, and a value of each row.
static weir_dnn_object scores(making *m, uint32_t dtype) {
  int64_t rows = m->of->rows, columns = m->of->columns;
  int64_t strides[] = {m->of->heads * rows * columns, rows * columns, columns,
                       1};
  return tensor(m, m->inside++, dtype, rows, columns, strides);
}

static weir_dnn_object values(making *m, int64_t number) {
  int64_t strides[] = {m->of->heads * m->of->rows, m->of->rows, 1, 1};
  return tensor(m, number, WEIR_F32, m->of->rows, 1, strides);
}

// An operand as it lies; turned it is columns of these rows.
static weir_dnn_object operand(making *m, int64_t number, int64_t rows,
                               int64_t columns, const int64_t *strides,
                               int turned) {
  int64_t lies[] = {strides[0], strides[1], turned ? 1 : strides[2],
                    turned ? strides[2] : 1};
  return tensor(m, number, m->of->dtype, turned ? columns : rows,
                turned ? rows : columns, lies);
}

static weir_dnn_object multiply(making *m, weir_dnn_object a, weir_dnn_object b,
                                weir_dnn_object to) {
  weir_dnn_object how = make(m, CUDNN_BACKEND_MATMUL_);
  set_code(m, how, CUDNN_ATTR_MATMUL_COMP_TYPE_, CUDNN_TYPE_DATA_TYPE_,
           CUDNN_DATA_FLOAT_);
  finish(m, how);
  weir_dnn_object made = make(m, CUDNN_BACKEND_OPERATION_MATMUL_);
  set_part(m, made, CUDNN_ATTR_OPERATION_MATMUL_ADESC_, a);
  set_part(m, made, CUDNN_ATTR_OPERATION_MATMUL_BDESC_, b);
  set_part(m, made, CUDNN_ATTR_OPERATION_MATMUL_CDESC_, to);
  set_part(m, made, CUDNN_ATTR_OPERATION_MATMUL_DESC_, how);
  m->operations[m->count++] = finish(m, made);
  return to;
}

// `with` is null for a function of one operand.
static weir_dnn_object apply(making *m, int32_t mode, weir_dnn_object of,
                             weir_dnn_object with, weir_dnn_object to) {
  weir_dnn_object how = make(m, CUDNN_BACKEND_POINTWISE_);
  set_code(m, how, CUDNN_ATTR_POINTWISE_MODE_, CUDNN_TYPE_POINTWISE_MODE_,
           mode);
  set_code(m, how, CUDNN_ATTR_POINTWISE_MATH_PREC_, CUDNN_TYPE_DATA_TYPE_,
           CUDNN_DATA_FLOAT_);
  finish(m, how);
  weir_dnn_object made = make(m, CUDNN_BACKEND_OPERATION_POINTWISE_);
  set_part(m, made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR_, how);
  set_part(m, made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC_, of);
  if (with)
    set_part(m, made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC_, with);
  set_part(m, made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC_, to);
  m->operations[m->count++] = finish(m, made);
  return to;
}

static weir_dnn_object reduce(making *m, int32_t by, weir_dnn_object of) {
  weir_dnn_object to = values(m, m->inside++);
  weir_dnn_object how = make(m, CUDNN_BACKEND_REDUCTION_);
  set_code(m, how, CUDNN_ATTR_REDUCTION_COMP_TYPE_, CUDNN_TYPE_DATA_TYPE_,
           CUDNN_DATA_FLOAT_);
  set_code(m, how, CUDNN_ATTR_REDUCTION_OPERATOR_,
           CUDNN_TYPE_REDUCTION_OPERATOR_TYPE_, by);
  finish(m, how);
  weir_dnn_object made = make(m, CUDNN_BACKEND_OPERATION_REDUCTION_);
  set_part(m, made, CUDNN_ATTR_OPERATION_REDUCTION_XDESC_, of);
  set_part(m, made, CUDNN_ATTR_OPERATION_REDUCTION_YDESC_, to);
  set_part(m, made, CUDNN_ATTR_OPERATION_REDUCTION_DESC_, how);
  m->operations[m->count++] = finish(m, made);
  return to;
}

// A number of the host's.
static weir_dnn_object number(making *m) {
  weir_dnn_shape one = {{1, 1, 1, 1}, {1, 1, 1, 1}};
  weir_dnn_elements of = {WEIR_F32, 1};
  weir_dnn_object made = NULL;
  if (!m->status)
    m->status =
        weir_dnn_tensor(m->gpu, m->plan, WEIR_DNN_SCALE, of, &one, &made);
  return made;
}

// Where a stride is 0, there is one for all.
static weir_dnn_object mask(making *m) {
  const weir_gpu_attention *of = m->of;
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
  weir_dnn_object made = NULL;
  if (!m->status)
    m->status = weir_dnn_tensor(m->gpu, m->plan, WEIR_DNN_MASK, elements,
                                &shape, &made);
  return made;
}

weir_status weir_dnn_describe_attention(weir_gpu *gpu,
                                        const weir_gpu_attention *of,
                                        weir_gpu_dnn_plan *plan,
                                        weir_dnn_object *graph) {
  making m = {gpu, of, plan, {NULL}, 0, WEIR_DNN_INSIDE, WEIR_OK};
  weir_dnn_object q =
      operand(&m, WEIR_DNN_Q, of->rows, of->depth, of->q, /*turned=*/0);
  weir_dnn_object k =
      operand(&m, WEIR_DNN_K, of->columns, of->depth, of->k, /*turned=*/1);
  weir_dnn_object v =
      operand(&m, WEIR_DNN_V, of->columns, of->width, of->v, /*turned=*/0);
  weir_dnn_object out =
      operand(&m, WEIR_DNN_OUT, of->rows, of->width, of->out, /*turned=*/0);
  weir_dnn_object x = multiply(&m, q, k, scores(&m, WEIR_F32));
  x = apply(&m, CUDNN_POINTWISE_MUL_, x, number(&m), scores(&m, WEIR_F32));
  if (of->flags & WEIR_ATTENTION_MASK)
    x = apply(&m, CUDNN_POINTWISE_ADD_, x, mask(&m), scores(&m, WEIR_F32));
  weir_dnn_object most = reduce(&m, CUDNN_REDUCE_TENSOR_MAX_, x);
  x = apply(&m, CUDNN_POINTWISE_SUB_, x, most, scores(&m, WEIR_F32));
  x = apply(&m, CUDNN_POINTWISE_EXP_, x, NULL, scores(&m, WEIR_F32));
  weir_dnn_object sum = reduce(&m, CUDNN_REDUCE_TENSOR_ADD_, x);
  weir_dnn_object logarithm =
      apply(&m, CUDNN_POINTWISE_LOG_, sum, NULL, values(&m, m.inside++));
  apply(&m, CUDNN_POINTWISE_ADD_, most, logarithm, values(&m, WEIR_DNN_ROWS));
  x = apply(&m, CUDNN_POINTWISE_DIV_, x, sum, scores(&m, of->dtype));
  multiply(&m, x, v, out);
  return m.status ? m.status
                  : weir_dnn_graph(gpu, plan, m.operations, m.count, graph);
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

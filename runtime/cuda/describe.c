// Operation graphs as cuDNN has them: objects with attributes, which are
// finished before others have them for parts.

#include "runtime/cuda/plans.h"

weir_dnn_object weir_dnn_make(weir_dnn_making *m, int32_t type) {
  weir_dnn_object object = NULL;
  if (!m->status && m->plan->num_made == WEIR_DNN_OBJECTS)
    m->status = WEIR_GPU_FAIL(m->gpu, WEIR_ERR_GPU,
                              "a graph has too many parts for cuDNN");
  if (!m->status)
    m->status =
        WEIR_DNN_CALL(m->gpu, cudnnBackendCreateDescriptor, type, &object);
  if (!m->status)
    m->plan->made[m->plan->num_made++] = object;
  return object;
}

void weir_dnn_set(weir_dnn_making *m, weir_dnn_object object, int32_t attribute,
                  int32_t type, int64_t count, const void *elements) {
  if (!m->status)
    m->status = WEIR_DNN_CALL(m->gpu, cudnnBackendSetAttribute, object,
                              attribute, type, count, elements);
}

void weir_dnn_set_number(weir_dnn_making *m, weir_dnn_object object,
                         int32_t attribute, int32_t type, int32_t value) {
  weir_dnn_set(m, object, attribute, type, 1, &value);
}

void weir_dnn_set_object(weir_dnn_making *m, weir_dnn_object object,
                         int32_t attribute, weir_dnn_object value) {
  weir_dnn_set(m, object, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1, &value);
}

weir_dnn_object weir_dnn_finish(weir_dnn_making *m, weir_dnn_object object) {
  if (!m->status)
    m->status = WEIR_DNN_CALL(m->gpu, cudnnBackendFinalize, object);
  return object;
}

static int32_t type_of(uint32_t dtype) {
  return dtype == WEIR_F16
             ? CUDNN_DATA_HALF_
             : (dtype == WEIR_BF16 ? CUDNN_DATA_BFLOAT16_ : CUDNN_DATA_FLOAT_);
}

weir_dnn_object weir_dnn_tensor(weir_dnn_making *m, int64_t number,
                                weir_dnn_elements of,
                                const weir_dnn_shape *shape) {
  unsigned char inside = number >= WEIR_DNN_INSIDE;
  unsigned char by_value = number == WEIR_DNN_SCALE;
  int64_t alignment = of.aligned ? 16 : (of.dtype == WEIR_F32 ? 4 : 2);
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_TENSOR_);
  weir_dnn_set_number(m, made, CUDNN_ATTR_TENSOR_DATA_TYPE_,
                      CUDNN_TYPE_DATA_TYPE_, type_of(of.dtype));
  weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_DIMENSIONS_, CUDNN_TYPE_INT64_, 4,
               shape->sizes);
  weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_STRIDES_, CUDNN_TYPE_INT64_, 4,
               shape->strides);
  weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_UNIQUE_ID_, CUDNN_TYPE_INT64_, 1,
               &number);
  weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT_, CUDNN_TYPE_INT64_, 1,
               &alignment);
  weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_IS_VIRTUAL_, CUDNN_TYPE_BOOLEAN_, 1,
               &inside);
  if (by_value)
    weir_dnn_set(m, made, CUDNN_ATTR_TENSOR_IS_BY_VALUE_, CUDNN_TYPE_BOOLEAN_,
                 1, &by_value);
  return weir_dnn_finish(m, made);
}

weir_dnn_object weir_dnn_function(weir_dnn_making *m, int32_t mode) {
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_POINTWISE_);
  weir_dnn_set_number(m, made, CUDNN_ATTR_POINTWISE_MODE_,
                      CUDNN_TYPE_POINTWISE_MODE_, mode);
  weir_dnn_set_number(m, made, CUDNN_ATTR_POINTWISE_MATH_PREC_,
                      CUDNN_TYPE_DATA_TYPE_, CUDNN_DATA_FLOAT_);
  return made;
}

weir_dnn_object weir_dnn_apply(weir_dnn_making *m, weir_dnn_object function,
                               weir_dnn_object of, weir_dnn_object with,
                               weir_dnn_object to) {
  weir_dnn_finish(m, function);
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_OPERATION_POINTWISE_);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR_,
                      function);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC_, of);
  if (with)
    weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC_, with);
  weir_dnn_set_object(m, made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC_, to);
  weir_dnn_add(m, made);
  return to;
}

void weir_dnn_add(weir_dnn_making *m, weir_dnn_object operation) {
  weir_dnn_finish(m, operation);
  if (!m->status)
    m->operations[m->count++] = operation;
}

weir_dnn_object weir_dnn_graph(weir_dnn_making *m) {
  weir_dnn_object made = weir_dnn_make(m, CUDNN_BACKEND_OPERATIONGRAPH_);
  weir_dnn_set(m, made, CUDNN_ATTR_OPERATIONGRAPH_OPS_,
               CUDNN_TYPE_BACKEND_DESCRIPTOR_, m->count, m->operations);
  weir_dnn_set(m, made, CUDNN_ATTR_OPERATIONGRAPH_HANDLE_, CUDNN_TYPE_HANDLE_,
               1, &m->gpu->dnn_handle);
  return weir_dnn_finish(m, made);
}

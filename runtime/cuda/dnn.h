// The part of cuDNN 9's backend interface that the runtime calls, found by
// dlopen as the driver is. All but the handle are descriptors: objects with
// attributes, which are of use once they are finalized.
#ifndef WEIR_RUNTIME_CUDA_DNN_H
#define WEIR_RUNTIME_CUDA_DNN_H

#include "runtime/cuda/driver.h"

typedef int32_t weir_dnn_status; // 0: success
typedef struct weir_dnn_context *weir_dnn_handle;
typedef void *weir_dnn_object;

enum {
  CUDNN_DATA_FLOAT_ = 0,
  CUDNN_DATA_HALF_ = 2,
  CUDNN_DATA_BFLOAT16_ = 9,

  CUDNN_TYPE_HANDLE_ = 0,
  CUDNN_TYPE_DATA_TYPE_ = 1,
  CUDNN_TYPE_BOOLEAN_ = 2,
  CUDNN_TYPE_INT64_ = 3,
  CUDNN_TYPE_FLOAT_ = 4,
  CUDNN_TYPE_VOID_PTR_ = 6,
  CUDNN_TYPE_CONVOLUTION_MODE_ = 7,
  CUDNN_TYPE_HEUR_MODE_ = 8,
  CUDNN_TYPE_NAN_PROPAGATION_ = 10,
  CUDNN_TYPE_NUMERICAL_NOTE_ = 11,
  CUDNN_TYPE_POINTWISE_MODE_ = 14,
  CUDNN_TYPE_BACKEND_DESCRIPTOR_ = 15,
  CUDNN_TYPE_CHAR_ = 24,

  CUDNN_BACKEND_POINTWISE_ = 0,
  CUDNN_BACKEND_CONVOLUTION_ = 1,
  CUDNN_BACKEND_ENGINE_ = 2,
  CUDNN_BACKEND_ENGINECFG_ = 3,
  CUDNN_BACKEND_ENGINEHEUR_ = 4,
  CUDNN_BACKEND_EXECUTION_PLAN_ = 5,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_ = 10,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_ = 11,
  CUDNN_BACKEND_OPERATION_POINTWISE_ = 13,
  CUDNN_BACKEND_OPERATIONGRAPH_ = 15,
  CUDNN_BACKEND_VARIANT_PACK_ = 16,
  CUDNN_BACKEND_TENSOR_ = 17,

  CUDNN_ATTR_POINTWISE_MODE_ = 0,
  CUDNN_ATTR_POINTWISE_MATH_PREC_ = 1,
  CUDNN_ATTR_POINTWISE_NAN_PROPAGATION_ = 2,
  CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP_ = 4,
  CUDNN_ATTR_CONVOLUTION_COMP_TYPE_ = 100,
  CUDNN_ATTR_CONVOLUTION_CONV_MODE_ = 101,
  CUDNN_ATTR_CONVOLUTION_DILATIONS_ = 102,
  CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES_ = 103,
  CUDNN_ATTR_CONVOLUTION_POST_PADDINGS_ = 104,
  CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS_ = 105,
  CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS_ = 106,
  CUDNN_ATTR_ENGINEHEUR_MODE_ = 200,
  CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH_ = 201,
  CUDNN_ATTR_ENGINEHEUR_RESULTS_ = 202,
  CUDNN_ATTR_ENGINECFG_ENGINE_ = 300,
  CUDNN_ATTR_EXECUTION_PLAN_HANDLE_ = 400,
  CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG_ = 401,
  CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE_ = 402,
  CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION_ = 405,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA_ = 700,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA_ = 701,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC_ = 702,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W_ = 703,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X_ = 704,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y_ = 705,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA_ = 712,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA_ = 713,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC_ = 714,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW_ = 715,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X_ = 716,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY_ = 717,
  CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR_ = 750,
  CUDNN_ATTR_OPERATION_POINTWISE_XDESC_ = 751,
  CUDNN_ATTR_OPERATION_POINTWISE_BDESC_ = 752,
  CUDNN_ATTR_OPERATION_POINTWISE_YDESC_ = 753,
  CUDNN_ATTR_OPERATIONGRAPH_HANDLE_ = 800,
  CUDNN_ATTR_OPERATIONGRAPH_OPS_ = 801,
  CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT_ = 900,
  CUDNN_ATTR_TENSOR_DATA_TYPE_ = 901,
  CUDNN_ATTR_TENSOR_DIMENSIONS_ = 902,
  CUDNN_ATTR_TENSOR_STRIDES_ = 903,
  CUDNN_ATTR_TENSOR_UNIQUE_ID_ = 906,
  CUDNN_ATTR_TENSOR_IS_VIRTUAL_ = 907,
  CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS_ = 1000,
  CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS_ = 1001,
  CUDNN_ATTR_VARIANT_PACK_WORKSPACE_ = 1003,
  CUDNN_ATTR_ENGINE_NUMERICAL_NOTE_ = 1303,

  CUDNN_CROSS_CORRELATION_ = 1,
  CUDNN_POINTWISE_ADD_ = 0,
  CUDNN_POINTWISE_RELU_FWD_ = 100,
  CUDNN_PROPAGATE_NAN_ = 1,
  CUDNN_HEUR_MODE_FALLBACK_ = 2,
  CUDNN_HEUR_MODE_A_ = 3,
  CUDNN_NUMERICAL_NOTE_TENSOR_CORE_ = 0,
  CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS_ = 1,
  CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION_ = 2,
  CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC_ = 4
};

#define WEIR_DNN_FUNCTIONS(F)                                                  \
  F(cudnnCreate, (weir_dnn_handle * handle))                                   \
  F(cudnnDestroy, (weir_dnn_handle handle))                                    \
  F(cudnnSetStream, (weir_dnn_handle handle, weir_cu_stream stream))           \
  F(cudnnBackendCreateDescriptor, (int32_t type, weir_dnn_object *object))     \
  F(cudnnBackendDestroyDescriptor, (weir_dnn_object object))                   \
  F(cudnnBackendSetAttribute,                                                  \
    (weir_dnn_object object, int32_t attribute, int32_t type, int64_t count,   \
     const void *elements))                                                    \
  F(cudnnBackendGetAttribute,                                                  \
    (weir_dnn_object object, int32_t attribute, int32_t type, int64_t room,    \
     int64_t *count, void *elements))                                          \
  F(cudnnBackendFinalize, (weir_dnn_object object))                            \
  F(cudnnBackendExecute,                                                       \
    (weir_dnn_handle handle, weir_dnn_object plan, weir_dnn_object pack))

typedef struct weir_dnn {
#define WEIR_DNN_FIELD(name, parameters) weir_dnn_status(*name) parameters;
  WEIR_DNN_FUNCTIONS(WEIR_DNN_FIELD)
#undef WEIR_DNN_FIELD
  size_t (*cudnnGetVersion)(void);
  const char *(*cudnnGetErrorString)(weir_dnn_status status);
} weir_dnn;

#endif

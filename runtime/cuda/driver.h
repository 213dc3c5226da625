// The part of the CUDA driver's interface that the runtime calls. All of it is
// declared here and found by dlopen, so that a model needs no CUDA to be
// compiled, linked or loaded.
#ifndef WEIR_RUNTIME_CUDA_DRIVER_H
#define WEIR_RUNTIME_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t weir_cu_result; // 0: success
typedef int32_t weir_cu_device; // its ordinal
typedef uint64_t weir_cu_address;
typedef struct CUctx_st *weir_cu_context;
typedef struct CUmod_st *weir_cu_module;
typedef struct CUfunc_st *weir_cu_function;
typedef struct CUstream_st *weir_cu_stream;
typedef struct CUevent_st *weir_cu_event;
typedef struct CUgraph_st *weir_cu_graph;
typedef struct CUgraphExec_st *weir_cu_graph_exec;

enum {
  CUDA_ERROR_OUT_OF_MEMORY_ = 2,
  CUDA_ERROR_STUB_LIBRARY_ = 34,
  CUDA_ERROR_NO_DEVICE_ = 100,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR_ = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR_ = 76,
  CU_EVENT_DISABLE_TIMING_ = 2,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES_ = 8,
  CU_JIT_ERROR_LOG_BUFFER_ = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_ = 6,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL_ = 1,
  CU_STREAM_NON_BLOCKING_ = 1
};

// The driver exports each by this name, of this version, since CUDA 11.4.
#define WEIR_CUDA_FUNCTIONS(F)                                                 \
  F(cuInit, (uint32_t flags))                                                  \
  F(cuGetErrorName, (weir_cu_result error, const char **name))                 \
  F(cuGetErrorString, (weir_cu_result error, const char **text))               \
  F(cuDriverGetVersion, (int32_t *version))                                    \
  F(cuDeviceGetCount, (int32_t *count))                                        \
  F(cuDeviceGet, (weir_cu_device * device, int32_t ordinal))                   \
  F(cuDeviceGetName, (char *name, int32_t bytes, weir_cu_device device))       \
  F(cuDeviceGetAttribute,                                                      \
    (int32_t *value, int32_t attribute, weir_cu_device device))                \
  F(cuDevicePrimaryCtxRetain,                                                  \
    (weir_cu_context * context, weir_cu_device device))                        \
  F(cuDevicePrimaryCtxRelease_v2, (weir_cu_device device))                     \
  F(cuCtxPushCurrent_v2, (weir_cu_context context))                            \
  F(cuCtxPopCurrent_v2, (weir_cu_context * context))                           \
  F(cuModuleLoadDataEx, (weir_cu_module * module, const void *image,           \
                         uint32_t count, int32_t *options, void **values))     \
  F(cuModuleUnload, (weir_cu_module module))                                   \
  F(cuModuleGetFunction,                                                       \
    (weir_cu_function * function, weir_cu_module module, const char *name))    \
  F(cuFuncSetAttribute,                                                        \
    (weir_cu_function function, int32_t attribute, int32_t value))             \
  F(cuMemAlloc_v2, (weir_cu_address * at, size_t bytes))                       \
  F(cuMemFree_v2, (weir_cu_address at))                                        \
  F(cuMemHostAlloc, (void **at, size_t bytes, uint32_t flags))                 \
  F(cuMemFreeHost, (void *at))                                                 \
  F(cuMemcpyHtoDAsync_v2, (weir_cu_address to, const void *from, size_t bytes, \
                           weir_cu_stream stream))                             \
  F(cuMemcpyDtoHAsync_v2,                                                      \
    (void *to, weir_cu_address from, size_t bytes, weir_cu_stream stream))     \
  F(cuMemcpyDtoDAsync_v2, (weir_cu_address to, weir_cu_address from,           \
                           size_t bytes, weir_cu_stream stream))               \
  F(cuMemsetD8Async, (weir_cu_address at, unsigned char value, size_t count,   \
                      weir_cu_stream stream))                                  \
  F(cuMemsetD32Async,                                                          \
    (weir_cu_address at, uint32_t value, size_t count, weir_cu_stream stream)) \
  F(cuLaunchKernel,                                                            \
    (weir_cu_function function, uint32_t gx, uint32_t gy, uint32_t gz,         \
     uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared_bytes,             \
     weir_cu_stream stream, void **arguments, void **extra))                   \
  F(cuLaunchHostFunc,                                                          \
    (weir_cu_stream stream, void (*code)(void *data), void *data))             \
  F(cuStreamCreate, (weir_cu_stream * stream, uint32_t flags))                 \
  F(cuStreamDestroy_v2, (weir_cu_stream stream))                               \
  F(cuStreamSynchronize, (weir_cu_stream stream))                              \
  F(cuStreamWaitEvent,                                                         \
    (weir_cu_stream stream, weir_cu_event event, uint32_t flags))              \
  F(cuEventCreate, (weir_cu_event * event, uint32_t flags))                    \
  F(cuEventDestroy_v2, (weir_cu_event event))                                  \
  F(cuEventRecord, (weir_cu_event event, weir_cu_stream stream))               \
  F(cuEventSynchronize, (weir_cu_event event))                                 \
  F(cuStreamBeginCapture_v2, (weir_cu_stream stream, int32_t mode))            \
  F(cuStreamEndCapture, (weir_cu_stream stream, weir_cu_graph * graph))        \
  F(cuGraphInstantiateWithFlags,                                               \
    (weir_cu_graph_exec * exec, weir_cu_graph graph, uint64_t flags))          \
  F(cuGraphUpload, (weir_cu_graph_exec exec, weir_cu_stream stream))           \
  F(cuGraphLaunch, (weir_cu_graph_exec exec, weir_cu_stream stream))           \
  F(cuGraphExecDestroy, (weir_cu_graph_exec exec))                             \
  F(cuGraphDestroy, (weir_cu_graph graph))

typedef struct weir_cuda {
#define WEIR_CUDA_FIELD(name, parameters) weir_cu_result(*name) parameters;
  WEIR_CUDA_FUNCTIONS(WEIR_CUDA_FIELD)
#undef WEIR_CUDA_FIELD
  // Null in drivers before CUDA 12.4, which load a kernel at its first use.
  weir_cu_result (*cuFuncLoad)(weir_cu_function function);
} weir_cuda;

#endif

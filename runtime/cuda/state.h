// What a context of a model for a GPU holds, for the files of this folder.
#ifndef WEIR_RUNTIME_CUDA_STATE_H
#define WEIR_RUNTIME_CUDA_STATE_H

#include "runtime/cuda/blas.h"
#include "runtime/cuda/dnn.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/gpu.h"

enum { WEIR_GPU_TEXT_BYTES = 1024, WEIR_GPU_ALIGN = 256 };

typedef struct weir_gpu weir_gpu;

struct weir_gpu_stream {
  weir_gpu *gpu;
  weir_cu_stream stream;
  int32_t capturing;
  uint32_t
      failed; // the check that failed first, where the stream is waited for
};

// How a product is computed on this device.
typedef struct weir_gpu_plan {
  weir_lt_product product;
  weir_lt_layout a, b, d;
  weir_lt_algorithm algorithm;
  size_t workspace;
} weir_gpu_plan;

// How a convolution or an attention is computed on this device.
enum { WEIR_DNN_OBJECTS = 64, WEIR_DNN_OPERANDS = 7 };
typedef struct weir_gpu_dnn_plan {
  weir_dnn_object plan;
  weir_dnn_object made[WEIR_DNN_OBJECTS]; // all that it is made of
  uint64_t num_made;
  // What a run is of, until the addresses are others: a function that is no
  // graph issues the same again and again.
  weir_dnn_object pack;
  void *at[WEIR_DNN_OPERANDS];
  float scale; // of an attention, which cuDNN reads when it is issued
} weir_gpu_dnn_plan;

struct weir_gpu {
  const weir_gpu_model *model;
  weir_context *context; // the host's part
  void *own;             // what destroy gives back; null: the caller's memory
  weir_cuda cuda;
  weir_blas blas; // only where the model has products
  weir_lt_handle lt;
  weir_dnn dnn; // only where the model has convolutions or attentions for it
  weir_dnn_handle dnn_handle;
  weir_cu_device device;
  weir_cu_context device_context; // the device's primary one, shared by all
  int32_t entered;                // whether that is current by our doing
  weir_cu_module module;
  weir_cu_stream stream;
  weir_cu_event done; // of the last run on a stream of the caller's
  int32_t pending;    // whether that has not been waited for
  weir_status status; // of the last failure in this folder
  // One block of device memory: arena, weights, variables, tensors, workspace
  // of what libraries compute.
  weir_cu_address memory, arena, weights, state, tensors, workspace;
  // One of the host's that the device can reach: what is read back, a byte for
  // each check, the tensors as they lie in the device's, the variables of a
  // checkpoint, and the arena of what the host computes.
  char *pinned;
  unsigned char *passed;
  char *staging;
  weir_gpu_host host; // what the host's parts of functions get
  char text[WEIR_GPU_TEXT_BYTES];
  // Behind it, in this order.
  weir_cu_function *kernels;
  void **at;                    // the device's address of each tensor
  weir_cu_graph_exec *whole;    // of each function, with the copies of tensors
  weir_cu_graph_exec *kernel;   // without; null: it is not capturable
  weir_gpu_plan *plans;         // of each product
  weir_gpu_dnn_plan *dnn_plans; // of each convolution, then of each attention
};

// The context at `memory`; null: there is none of this model.
weir_gpu *weir_gpu_alive(const weir_gpu_model *model, const void *memory);
// What a call begins with: the context at `memory`, without what it had to say
// before. WEIR_ERR_NULL or WEIR_ERR_CONTEXT where there is none, WEIR_ERR_BUSY
// where another thread is in a call on it.
weir_status weir_gpu_begin(const weir_gpu_model *model, void *memory,
                           weir_gpu **gpu);
// What it ends with; answers `status`.
weir_status weir_gpu_end(weir_gpu *gpu, weir_status status);
// Makes the device's primary context current, and what was again.
weir_status weir_gpu_enter(weir_gpu *gpu);
void weir_gpu_leave(weir_gpu *gpu);
// Of the last failure; empty: there was none.
const char *weir_gpu_text_of(const weir_gpu *gpu);

// Finds the driver's library and its functions, and starts the driver.
weir_status weir_gpu_load_driver(weir_gpu *gpu);

// Chooses the device, makes its primary context current and loads the code.
weir_status weir_gpu_load_code(weir_gpu *gpu, const weir_config *config);

// Finds cuBLASLt and chooses how each product is computed.
weir_status weir_gpu_plan_gemms(weir_gpu *gpu);
void weir_gpu_free_gemms(weir_gpu *gpu);

// Finds cuDNN and chooses how each convolution and attention is computed.
weir_status weir_gpu_plan_dnn(weir_gpu *gpu);
void weir_gpu_free_dnn(weir_gpu *gpu);

// Adds an aligned block to what is needed, SIZE_MAX being too much; answers
// where it begins.
size_t weir_gpu_reserve(size_t *total, size_t bytes);

// Where the tensors of a function lie, behind gpu->tensors and behind
// gpu->staging alike: inputs from 0, and then outputs. SIZE_MAX is too much.
typedef struct weir_gpu_layout {
  size_t inputs_end, outputs, end;
} weir_gpu_layout;
// Sets at[i] to where tensor i lies behind `base`, unless `at` is null.
weir_gpu_layout weir_gpu_lay_out(const weir_function_info *function,
                                 weir_cu_address base, void **at);

// Records the graphs of every function that is capturable.
weir_status weir_gpu_capture(weir_gpu *gpu);
void weir_gpu_free_graphs(weir_gpu *gpu);

// Waits for the last run on a stream of the caller's.
weir_status weir_gpu_wait_for_device_run(weir_gpu *gpu);

// Issues a function on the tensors at gpu->at; answers what its entry does.
int32_t weir_gpu_issue(weir_gpu *gpu, uint32_t function,
                       weir_gpu_stream *stream);
// Copies the tensors from and to the staging memory.
weir_status weir_gpu_copy_in(weir_gpu *gpu, const weir_gpu_layout *layout,
                             weir_cu_stream stream);
weir_status weir_gpu_copy_out(weir_gpu *gpu, const weir_gpu_layout *layout,
                              weir_cu_stream stream);

// Sets the text and the status, as weir_fail does.
weir_status weir_gpu_fail(weir_gpu *gpu, weir_status status,
                          const char *const *parts);
#define WEIR_GPU_FAIL(gpu, status, ...)                                        \
  weir_gpu_fail(gpu, status, (const char *const[]){__VA_ARGS__, NULL})

// A library beside the driver that a model calls.
enum { WEIR_GPU_PLACES = 4 };
typedef struct weir_gpu_library {
  const char *use;      // "this model ... with ...", for an error's text
  const char *variable; // of the environment, which names it elsewhere
  const char *places[WEIR_GPU_PLACES]; // where it is looked for, in this order
} weir_gpu_library;
weir_status weir_gpu_open(weir_gpu *gpu, const weir_gpu_library *wanted,
                          void **library);

// Where distributions keep libraries of this kind of processor.
#if defined(__x86_64__)
#define WEIR_LIB_FOLDER "/usr/lib/x86_64-linux-gnu/"
#else
#define WEIR_LIB_FOLDER "/usr/lib/aarch64-linux-gnu/"
#endif

// WEIR_OK, or the failure of a call of the driver, which the text names.
weir_status weir_gpu_check_call(weir_gpu *gpu, weir_cu_result result,
                                const char *call, const char *what);
#define WEIR_GPU_CALL(gpu, name, ...)                                          \
  weir_gpu_check_call(gpu, (gpu)->cuda.name(__VA_ARGS__), #name, NULL)

// A number as text, which lies in `number`.
typedef struct weir_gpu_number {
  char text[32];
} weir_gpu_number;
const char *weir_gpu_decimal(weir_gpu_number *number, uint64_t value);
const char *weir_gpu_in_bytes(weir_gpu_number *number, uint64_t value);

#endif

// What the code and the tables emitted for a GPU agree on with the runtime.
//
// The host side of a model is an entry for each signature, as on a CPU:
//
//   i32 symbol(ptr arena, ptr weights, ptr tensors, ptr stream)
//   i32 symbol(ptr arena, ptr weights, ptr tensors, ptr stream, ptr state)
//
// the second where the model has variables. `arena`, `weights` and `state` are
// addresses in the device's memory, and so is each of the `tensors` (inputs,
// then outputs), whose list itself lies in the host's.
// The entry adds offsets to these addresses and never reads through them. It
// issues work to the stream by the functions below, in order; all but
// weir_gpu_read return before the work is done. The entry answers 0, or at once
// what a function below answered that is not 0.
//
// An entry that issues the same work each time is capturable: it never calls
// weir_gpu_read and issues no check number twice. It is run at create, while
// the stream records, and not again.
//
// The compiler builds weir_gpu_model in LLVM IR (compiler/emit): change both
// together.
#ifndef WEIR_RUNTIME_CUDA_GPU_H
#define WEIR_RUNTIME_CUDA_GPU_H

#include "runtime/abi.h"
#include "runtime/cuda/info.h"
#ifdef WEIR_GPU_PROFILE
#include "runtime/profile/profile.h"
#endif

// What a function below answers where the driver refused: less than 0, so that
// it is no check's number. The text is kept for NAME_last_error.
enum { WEIR_GPU_FAILED = -1 };

// Where work is issued to; an entry only passes it on.
typedef struct weir_gpu_stream weir_gpu_stream;

// Launches kernel `kernel` of the model's table: a grid of gx x gy x gz blocks
// of bx x by x bz threads, each block with `shared_bytes` of dynamic shared
// memory, at most what the table says of the kernel. args[i] is where the value
// of argument i lies in the host's memory, as wide as the kernel's parameter;
// it is read before the call returns. A grid without blocks launches nothing.
int32_t weir_gpu_launch(weir_gpu_stream *stream, uint32_t kernel, uint32_t gx,
                        uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                        uint32_t bz, uint32_t shared_bytes, void **args,
                        uint32_t num_args);

// From device memory to device memory. The two do not overlap.
int32_t weir_gpu_copy(weir_gpu_stream *stream, void *target, const void *source,
                      uint64_t bytes);

// Sets device memory to a 32-bit value, again and again. `target` and `bytes`
// are multiples of 4, unless the four bytes of the value are the same.
int32_t weir_gpu_fill(weir_gpu_stream *stream, void *target, int32_t value,
                      uint64_t bytes);

// From device memory to the host's, at most WEIR_GPU_READ_BYTES, once all work
// issued before is done: the data is there when it returns. Makes an entry not
// capturable.
enum { WEIR_GPU_READ_BYTES = 4096 };
int32_t weir_gpu_read(weir_gpu_stream *stream, void *host_target,
                      const void *device_source, uint64_t bytes);

// Has the byte at `passed` in device memory, as the work issued before leaves
// it, say whether check `number` (counted from 1) passed: 0 is a failure. It is
// looked at when the run has ended, of several failures that of the lowest
// number counts, and the entry goes on.
int32_t weir_gpu_check(weir_gpu_stream *stream, const void *passed,
                       uint32_t number);

// A product of matrices that cuBLASLt computes: D = A B, or relu(A B), or with
// the vector `bias` of n elements added to each row first. Matrices are
// row-major; a transposed one lies as its transpose. Sums are of f32.
enum {
  WEIR_GEMM_TRANSPOSE_A = 1, // A lies as k rows of m
  WEIR_GEMM_TRANSPOSE_B = 2, // B lies as n rows of k
  WEIR_GEMM_BIAS = 4,
  WEIR_GEMM_RELU = 8,
  WEIR_GEMM_UNALIGNED = 16, // operands are aligned to their elements only
  WEIR_GEMM_TF32 = 32       // factors of f32 may be rounded to tf32
};
typedef struct weir_gpu_gemm {
  uint32_t dtype; // of all operands: WEIR_F32, WEIR_F16 or WEIR_BF16
  uint32_t flags;
  int64_t m, n, k;
  int64_t lda, ldb, ldd; // elements from one row as it lies to the next
  int64_t batch;         // products, whose operands are strides apart
  int64_t stride_a, stride_b, stride_d;
  uint64_t workspace_bytes; // the most that may be used
} weir_gpu_gemm;

// Issues product `gemm` of the model's table on operands that are aligned to 16
// bytes, unless its flags say otherwise. `bias` may be null where there is
// none.
int32_t weir_gpu_multiply(weir_gpu_stream *stream, uint32_t gemm, const void *a,
                          const void *b, const void *bias, void *d);

// A convolution that cuDNN computes over images with two spatial dimensions,
// the channels last: Y = X * filter, plus a bias for each channel, plus a
// residual of the shape of Y, and a relu of that, which may have an upper
// bound, as flags say. The filter lies as `outputs` x window x `inputs /
// groups` and is not reversed; its taps stand `dilations` apart, the first
// `before` rows and columns before the image, around which there are zeros.
// Sums are of f32, and rounded once at the end.
//
// Or the gradient of a convolution by its filter: of what Y is given, in the
// place of the filter, and X the filter that each of its elements adds up.
enum {
  WEIR_CONV_BIAS = 1,
  WEIR_CONV_RESIDUAL = 2,
  WEIR_CONV_RELU = 4,
  WEIR_CONV_UNALIGNED = 8, // operands are aligned to their elements only
  WEIR_CONV_TF32 = 16,     // factors of f32 may be rounded to tf32
  WEIR_CONV_CLIP = 32,     // what the relu leaves is `clip` at most
  WEIR_CONV_GRADIENT = 64  // by the filter, without a bias, residual or relu
};
typedef struct weir_gpu_conv {
  uint32_t dtype; // of all operands: WEIR_F32, WEIR_F16 or WEIR_BF16
  uint32_t flags;
  int64_t images, inputs, outputs, groups; // inputs, outputs: channels
  int64_t size[2], window[2], result[2];
  int64_t strides[2], dilations[2], before[2], after[2];
  uint64_t workspace_bytes; // the most that may be used
  double clip;              // which a float holds
} weir_gpu_conv;

// Issues convolution `conv` of the model's table on operands that are aligned
// to 16 bytes, unless its flags say otherwise. `bias` and `residual` may be
// null where there is none.
int32_t weir_gpu_convolve(weir_gpu_stream *stream, uint32_t conv, const void *x,
                          const void *filter, const void *bias,
                          const void *residual, void *y);

// An attention that cuDNN computes for each batch and head: the rows' softmax
// of Q K^T times `scale`, plus a mask, times V. Q is rows x depth, K columns x
// depth, V columns x width and the result rows x width; elements of a row stand
// beside each other. Nothing is rounded but the weights of V, and the result.
enum {
  WEIR_ATTENTION_MASK = 1,     // rows x columns
  WEIR_ATTENTION_UNALIGNED = 2 // operands are aligned to their elements only
};
typedef struct weir_gpu_attention {
  uint32_t dtype; // of all operands: WEIR_F16 or WEIR_BF16
  uint32_t flags;
  int64_t batch, heads, rows, columns, depth, width;
  // Elements from one batch, head, and row to the next; of a mask 0 where it
  // has one for all.
  int64_t q[3], k[3], v[3], mask[3], out[3];
  uint64_t
      workspace_bytes; // the most that may be used, with what is kept of rows
  double scale;        // which a float holds
} weir_gpu_attention;

// Issues attention `attention` of the model's table on operands that are
// aligned to 16 bytes, unless its flags say otherwise. `mask` may be null where
// there is none.
int32_t weir_gpu_attend(weir_gpu_stream *stream, uint32_t attention,
                        const void *q, const void *k, const void *v,
                        const void *mask, void *out);

// Parts of a function that the host computes, between the device's: memory that
// the device reaches, and the weights as the host has them.
typedef struct weir_gpu_host {
  char *memory; // weir_gpu_model.host_bytes, aligned to 64
  const void *weights;
} weir_gpu_host;

// From and to the host's memory, `at` bytes from its begin. These are done in
// their turn, as all that is issued.
int32_t weir_gpu_to_host(weir_gpu_stream *stream, uint64_t at,
                         const void *source, uint64_t bytes);
int32_t weir_gpu_from_host(weir_gpu_stream *stream, void *target, uint64_t at,
                           uint64_t bytes);

// Has the host call `code` when the work issued before is done, and work that
// is issued after wait for it. The thread is one of the driver's: the code must
// not call the driver.
typedef void weir_gpu_host_code(void *host); // a weir_gpu_host
int32_t weir_gpu_on_host(weir_gpu_stream *stream, weir_gpu_host_code *code);

typedef struct weir_gpu_model {
  weir_model model; // info->arena_bytes are the device's
#ifdef WEIR_GPU_PROFILE
  const weir_profile_level *levels; // as weir_profile_model has them; one
  uint64_t at;                      // behind the weir_context
  uint64_t num_tasks;
#endif
  const weir_gpu_info *gpu;
  const weir_gpu_gemm *gemms;
  uint64_t num_gemms;
  const weir_gpu_conv *convs;
  uint64_t num_convs;
  const weir_gpu_attention *attentions;
  uint64_t num_attentions;
  uint64_t context_at; // where in a context the host's part of it lies
  uint64_t host_bytes; // of the parts that the host computes; 0: none
#ifdef WEIR_GPU_PROFILE
  // The most that a run records: one at both ends of the run and of each task.
  uint64_t num_events;
#endif
} weir_gpu_model;

weir_status weir_gpu_model_create(const weir_gpu_model *model, void *memory,
                                  const weir_config *config, void **out);
weir_status weir_gpu_model_run(const weir_gpu_model *model, void *context,
                               uint32_t function, void *const *tensors,
                               uint32_t num_tensors);
weir_status weir_gpu_model_run_device(const weir_gpu_model *model,
                                      void *context, uint32_t function,
                                      void *const *tensors,
                                      uint32_t num_tensors, void *stream);
weir_status weir_gpu_model_wait(const weir_gpu_model *model, void *context);
void *weir_gpu_model_tensor(const weir_gpu_model *model, void *context,
                            uint32_t function, uint32_t index);
void weir_gpu_model_destroy(const weir_gpu_model *model, void *context);
const char *weir_gpu_model_last_error(const weir_gpu_model *model,
                                      const void *context);
const char *weir_gpu_status_text(weir_status status);

// Where the variables lie in the device's memory, all and one; null where the
// context is not alive.
void *weir_gpu_model_state(const weir_gpu_model *model, void *context);
void *weir_gpu_model_variable(const weir_gpu_model *model, void *context,
                              uint32_t variable);
// Checkpoints, by way of a copy of the variables in the host's memory, which
// `save` and `restore` (weir_model_save, weir_model_restore) write and read.
typedef weir_status weir_checkpoint(const weir_model *model,
                                    weir_context *context, const char *path);
weir_status weir_gpu_model_save(const weir_gpu_model *model, void *context,
                                const char *path, weir_checkpoint *save);
weir_status weir_gpu_model_restore(const weir_gpu_model *model, void *context,
                                   const char *path, weir_checkpoint *restore);

// A context is `weir_gpu_bytes`, then an address (8 bytes) for each kernel, for
// each tensor of the function that has most, and two for each function, and
// `weir_gpu_plan_bytes` for each product, `weir_gpu_dnn_plan_bytes` for each
// convolution and attention; then, at context_at, a multiple of 64, a
// weir_context.
extern const size_t weir_gpu_bytes, weir_gpu_plan_bytes,
    weir_gpu_dnn_plan_bytes;

#endif

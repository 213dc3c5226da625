// What the code and the tables emitted for a GPU agree on with the runtime.
//
// The host side of a model is an entry for each signature, as on a CPU:
//
//   i32 symbol(ptr arena, ptr weights, ptr tensors, ptr stream)
//
// `arena` and `weights` are addresses in the device's memory, and so is each of
// the `tensors` (inputs, then outputs), whose list itself lies in the host's.
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

// Code for all kernels of the model, for one kind of device.
enum { WEIR_GPU_PTX = 1, WEIR_GPU_CUBIN = 2 };
typedef struct weir_gpu_image {
  uint32_t kind;     // PTX: text that ends in a 0 byte, which `bytes` counts
  uint32_t sm;       // compute capability, 10 * major + minor
  uint32_t specific; // only for devices of exactly that (sm_90a), if not 0
  uint32_t zero;
  const void *data;
  uint64_t bytes;
} weir_gpu_image;

typedef struct weir_gpu_kernel {
  const char *name;      // in the images
  uint64_t shared_bytes; // the most dynamic shared memory of a launch
} weir_gpu_kernel;

enum { WEIR_GPU_CAPTURABLE = 1 };

typedef struct weir_gpu_model {
  weir_model model; // info->arena_bytes are the device's
  const weir_gpu_image *images;
  const weir_gpu_kernel *kernels; // weir_gpu_launch counts them from 0
  const uint32_t *flags;          // of each function's entry
  uint32_t num_images;
  uint32_t num_kernels;
} weir_gpu_model;

#endif

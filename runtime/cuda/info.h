/* What the header of a model for an NVIDIA GPU has beside runtime/weir.h. */
#ifndef WEIR_GPU_INFO_H
#define WEIR_GPU_INFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* Code for all kernels of a model, for one kind of device. */
enum { WEIR_GPU_PTX = 1, WEIR_GPU_CUBIN = 2 };
typedef struct weir_gpu_image {
  uint32_t kind;     /* PTX: text with a 0 byte at its end, which bytes count */
  uint32_t sm;       /* compute capability, 10 * major + minor */
  uint32_t specific; /* not 0: only for devices of exactly that (sm_90a) */
  uint32_t zero;
  const void *data;
  uint64_t bytes;
} weir_gpu_image;

typedef struct weir_gpu_kernel {
  const char *name;      /* in the images */
  uint64_t shared_bytes; /* the most dynamic shared memory of a launch */
} weir_gpu_kernel;

/* A function that issues the same work in each run, as one CUDA graph. */
enum { WEIR_GPU_CAPTURABLE = 1 };

/* What NAME_gpu gives; NAME_info has the rest. */
typedef struct weir_gpu_info {
  uint32_t num_images;
  uint32_t num_kernels;
  const weir_gpu_image *images;
  const weir_gpu_kernel *kernels;
  const uint32_t *flags; /* of each function */
  weir_status (*run_device)(void *context, uint32_t function,
                            void *const *tensors, uint32_t num_tensors,
                            void *stream);
  weir_status (*wait)(void *context);
  /* Where the context has tensor `index` of a function (inputs, then outputs)
   * in the GPU's memory: given to run_device, it is not copied. Functions share
   * the memory. Null: there is none such. */
  void *(*tensor)(void *context, uint32_t function, uint32_t index);
} weir_gpu_info;

#ifdef __cplusplus
}
#endif

#endif

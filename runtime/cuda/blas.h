// The part of cuBLASLt's interface that the runtime calls, found by dlopen as
// the driver is.
#ifndef WEIR_RUNTIME_CUDA_BLAS_H
#define WEIR_RUNTIME_CUDA_BLAS_H

#include "runtime/cuda/driver.h"

typedef int32_t weir_lt_result; // 0: success
typedef struct weir_lt_object *weir_lt_handle, *weir_lt_product,
    *weir_lt_layout, *weir_lt_preference;

typedef struct weir_lt_algorithm {
  uint64_t data[8];
} weir_lt_algorithm;

// cublasLtMatmulHeuristicResult_t
typedef struct weir_lt_choice {
  weir_lt_algorithm algorithm;
  size_t workspace;
  weir_lt_result state;
  float waves;
  int32_t reserved[4];
} weir_lt_choice;

enum {
  CUBLAS_COMPUTE_32F_ = 68,
  CUBLAS_COMPUTE_32F_FAST_TF32_ = 77,
  CUBLAS_OP_T_ = 1,
  CUBLASLT_EPILOGUE_DEFAULT_ = 1,
  CUBLASLT_EPILOGUE_RELU_ = 2,
  CUBLASLT_EPILOGUE_BIAS_ = 4,
  CUBLASLT_MATMUL_DESC_TRANSA_ = 3,
  CUBLASLT_MATMUL_DESC_TRANSB_ = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE_ = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER_ = 8,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES_ = 1,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES_ = 5, // then B, C, D
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT_ = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET_ = 6,
  CUDA_R_32F_ = 0,
  CUDA_R_16F_ = 2,
  CUDA_R_16BF_ = 14
};

#define WEIR_BLAS_FUNCTIONS(F)                                                 \
  F(cublasLtCreate, (weir_lt_handle * handle))                                 \
  F(cublasLtDestroy, (weir_lt_handle handle))                                  \
  F(cublasLtMatmulDescCreate,                                                  \
    (weir_lt_product * product, int32_t compute, int32_t scale))               \
  F(cublasLtMatmulDescDestroy, (weir_lt_product product))                      \
  F(cublasLtMatmulDescSetAttribute,                                            \
    (weir_lt_product product, int32_t attribute, const void *value,            \
     size_t bytes))                                                            \
  F(cublasLtMatrixLayoutCreate, (weir_lt_layout * layout, int32_t type,        \
                                 uint64_t rows, uint64_t columns, int64_t ld)) \
  F(cublasLtMatrixLayoutDestroy, (weir_lt_layout layout))                      \
  F(cublasLtMatrixLayoutSetAttribute,                                          \
    (weir_lt_layout layout, int32_t attribute, const void *value,              \
     size_t bytes))                                                            \
  F(cublasLtMatmulPreferenceCreate, (weir_lt_preference * preference))         \
  F(cublasLtMatmulPreferenceDestroy, (weir_lt_preference preference))          \
  F(cublasLtMatmulPreferenceSetAttribute,                                      \
    (weir_lt_preference preference, int32_t attribute, const void *value,      \
     size_t bytes))                                                            \
  F(cublasLtMatmulAlgoGetHeuristic,                                            \
    (weir_lt_handle handle, weir_lt_product product, weir_lt_layout a,         \
     weir_lt_layout b, weir_lt_layout c, weir_lt_layout d,                     \
     weir_lt_preference preference, int32_t wanted, weir_lt_choice *choices,   \
     int32_t *found))                                                          \
  F(cublasLtMatmul,                                                            \
    (weir_lt_handle handle, weir_lt_product product, const void *alpha,        \
     const void *a, weir_lt_layout a_layout, const void *b,                    \
     weir_lt_layout b_layout, const void *beta, const void *c,                 \
     weir_lt_layout c_layout, void *d, weir_lt_layout d_layout,                \
     const weir_lt_algorithm *algorithm, void *workspace, size_t bytes,        \
     weir_cu_stream stream))

typedef struct weir_blas {
#define WEIR_BLAS_FIELD(name, parameters) weir_lt_result(*name) parameters;
  WEIR_BLAS_FUNCTIONS(WEIR_BLAS_FIELD)
#undef WEIR_BLAS_FIELD
} weir_blas;

#endif

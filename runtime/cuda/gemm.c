// Products of matrices by cuBLASLt. How each is computed is chosen at create;
// a run only issues it.
//
// cuBLASLt counts columns first: what is row-major to us is its transpose. So
// D = A B is given to it as D^T = B^T A^T, which moves no element.

#include "runtime/cuda/state.h"
#include "runtime/libc.h"

static const weir_gpu_library cublaslt = {
    "this model multiplies matrices with cuBLASLt",
    "WEIR_LIBCUBLASLT",
    {"libcublasLt.so.13", "libcublasLt.so.12",
     "/usr/local/cuda/lib64/libcublasLt.so.13",
     "/usr/local/cuda/lib64/libcublasLt.so.12"}};

static weir_status failed_call(weir_gpu *gpu, weir_lt_result result,
                               const char *call) {
  weir_gpu_number number;
  return result ? WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU, call, " failed with ",
                                weir_gpu_decimal(&number, (uint32_t)result))
                : WEIR_OK;
}
#define LT(gpu, name, ...)                                                     \
  failed_call(gpu, (gpu)->blas.name(__VA_ARGS__), #name)

static weir_status load(weir_gpu *gpu) {
  void *library;
  weir_status status = weir_gpu_open(gpu, &cublaslt, &library);
  if (status)
    return status;
#define WEIR_BLAS_FIND(name, parameters)                                       \
  *(void **)&gpu->blas.name = dlsym(library, #name);                           \
  if (!gpu->blas.name)                                                         \
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,                                 \
                         "the cuBLASLt that was found has no " #name);
  WEIR_BLAS_FUNCTIONS(WEIR_BLAS_FIND)
#undef WEIR_BLAS_FIND
  return LT(gpu, cublasLtCreate, &gpu->lt);
}

static int32_t type_of(weir_dtype dtype) {
  return dtype == WEIR_F16 ? CUDA_R_16F_
                           : (dtype == WEIR_BF16 ? CUDA_R_16BF_ : CUDA_R_32F_);
}

// A matrix that lies as `rows` rows of `columns` elements, `ld` apart.
static weir_status lay_out(weir_gpu *gpu, weir_lt_layout *layout,
                           const weir_gpu_gemm *gemm, int64_t rows,
                           int64_t columns, int64_t ld, int64_t stride) {
  int32_t batch = (int32_t)gemm->batch;
  weir_status status =
      LT(gpu, cublasLtMatrixLayoutCreate, layout, type_of(gemm->dtype),
         (uint64_t)columns, (uint64_t)rows, ld);
  if (!status && batch > 1)
    status = LT(gpu, cublasLtMatrixLayoutSetAttribute, *layout,
                CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT_, &batch, sizeof batch);
  if (!status && batch > 1)
    status = LT(gpu, cublasLtMatrixLayoutSetAttribute, *layout,
                CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET_, &stride,
                sizeof stride);
  return status;
}

static weir_status set(weir_gpu *gpu, weir_lt_product product,
                       int32_t attribute, int32_t value) {
  return LT(gpu, cublasLtMatmulDescSetAttribute, product, attribute, &value,
            sizeof value);
}

static weir_status describe(weir_gpu *gpu, const weir_gpu_gemm *gemm,
                            weir_gpu_plan *plan) {
  int32_t epilogue =
      (gemm->flags & WEIR_GEMM_BIAS ? CUBLASLT_EPILOGUE_BIAS_ : 0) |
      (gemm->flags & WEIR_GEMM_RELU ? CUBLASLT_EPILOGUE_RELU_ : 0);
  int a = gemm->flags & WEIR_GEMM_TRANSPOSE_A,
      b = gemm->flags & WEIR_GEMM_TRANSPOSE_B;
  int32_t compute = gemm->flags & WEIR_GEMM_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32_
                                                 : CUBLAS_COMPUTE_32F_;
  weir_status status =
      LT(gpu, cublasLtMatmulDescCreate, &plan->product, compute, CUDA_R_32F_);
  if (!status && b)
    status =
        set(gpu, plan->product, CUBLASLT_MATMUL_DESC_TRANSA_, CUBLAS_OP_T_);
  if (!status && a)
    status =
        set(gpu, plan->product, CUBLASLT_MATMUL_DESC_TRANSB_, CUBLAS_OP_T_);
  if (!status)
    status = set(gpu, plan->product, CUBLASLT_MATMUL_DESC_EPILOGUE_,
                 epilogue ? epilogue : CUBLASLT_EPILOGUE_DEFAULT_);
  if (!status)
    status = lay_out(gpu, &plan->a, gemm, a ? gemm->k : gemm->m,
                     a ? gemm->m : gemm->k, gemm->lda, gemm->stride_a);
  if (!status)
    status = lay_out(gpu, &plan->b, gemm, b ? gemm->n : gemm->k,
                     b ? gemm->k : gemm->n, gemm->ldb, gemm->stride_b);
  if (!status)
    status = lay_out(gpu, &plan->d, gemm, gemm->m, gemm->n, gemm->ldd,
                     gemm->stride_d);
  return status;
}

static weir_status choose(weir_gpu *gpu, const weir_gpu_gemm *gemm,
                          weir_lt_preference preference, weir_gpu_plan *plan) {
  weir_lt_choice choice;
  int32_t found = 0;
  uint64_t workspace = gemm->workspace_bytes;
  uint32_t alignment = gemm->flags & WEIR_GEMM_UNALIGNED
                           ? (gemm->dtype == WEIR_F32 ? 4 : 2)
                           : 16;
  memset(&choice, 0, sizeof choice);
  weir_status status = LT(gpu, cublasLtMatmulPreferenceSetAttribute, preference,
                          CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES_, &workspace,
                          sizeof workspace);
  for (int32_t i = 0; i < 4 && !status; ++i)
    status = LT(gpu, cublasLtMatmulPreferenceSetAttribute, preference,
                CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES_ + i, &alignment,
                sizeof alignment);
  if (!status)
    status =
        LT(gpu, cublasLtMatmulAlgoGetHeuristic, gpu->lt, plan->product, plan->b,
           plan->a, plan->d, plan->d, preference, 1, &choice, &found);
  if (status)
    return status;
  weir_gpu_number m, n, k;
  if (!found || choice.state || choice.workspace > workspace)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                         "cuBLASLt has no way to multiply a ",
                         weir_gpu_decimal(&m, (uint64_t)gemm->m), "x",
                         weir_gpu_decimal(&k, (uint64_t)gemm->k), " by a ",
                         weir_gpu_decimal(&k, (uint64_t)gemm->k), "x",
                         weir_gpu_decimal(&n, (uint64_t)gemm->n), " matrix");
  plan->algorithm = choice.algorithm;
  plan->workspace = choice.workspace;
  return WEIR_OK;
}

weir_status weir_gpu_plan_gemms(weir_gpu *gpu) {
  if (!gpu->model->num_gemms)
    return WEIR_OK;
  weir_lt_preference preference = NULL;
  weir_status status = load(gpu);
  if (!status)
    status = LT(gpu, cublasLtMatmulPreferenceCreate, &preference);
  for (uint64_t i = 0; i < gpu->model->num_gemms && !status; ++i) {
    const weir_gpu_gemm *gemm = &gpu->model->gemms[i];
    status = describe(gpu, gemm, &gpu->plans[i]);
    if (!status)
      status = choose(gpu, gemm, preference, &gpu->plans[i]);
  }
  if (preference)
    gpu->blas.cublasLtMatmulPreferenceDestroy(preference);
  return status;
}

static void free_layout(weir_gpu *gpu, weir_lt_layout layout) {
  if (layout)
    gpu->blas.cublasLtMatrixLayoutDestroy(layout);
}

void weir_gpu_free_gemms(weir_gpu *gpu) {
  for (uint64_t i = 0; i < gpu->model->num_gemms; ++i) {
    const weir_gpu_plan *plan = &gpu->plans[i];
    if (plan->product)
      gpu->blas.cublasLtMatmulDescDestroy(plan->product);
    free_layout(gpu, plan->a);
    free_layout(gpu, plan->b);
    free_layout(gpu, plan->d);
  }
  if (gpu->lt)
    gpu->blas.cublasLtDestroy(gpu->lt);
}

int32_t weir_gpu_multiply(weir_gpu_stream *stream, uint32_t number,
                          const void *a, const void *b, const void *bias,
                          void *d) {
  weir_gpu *gpu = stream->gpu;
  static const float one = 1, zero = 0;
  if (number >= gpu->model->num_gemms) {
    WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                  "the model multiplies by a plan that it does not have");
    return WEIR_GPU_FAILED;
  }
  const weir_gpu_plan *plan = &gpu->plans[number];
  weir_status status = WEIR_OK;
  if (gpu->model->gemms[number].flags & WEIR_GEMM_BIAS)
    status = LT(gpu, cublasLtMatmulDescSetAttribute, plan->product,
                CUBLASLT_MATMUL_DESC_BIAS_POINTER_, &bias, sizeof bias);
  if (!status)
    status = LT(gpu, cublasLtMatmul, gpu->lt, plan->product, &one, b, plan->b,
                a, plan->a, &zero, d, plan->d, d, plan->d, &plan->algorithm,
                (void *)gpu->workspace, plan->workspace, stream->stream);
  return status ? WEIR_GPU_FAILED : 0;
}

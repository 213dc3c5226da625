// A stand-in for libcublasLt multiplies matrices of f32 on this processor, on
// streams and in graphs of the stand-in for the driver (cuda/), which also
// records its calls and lets them fail. It checks cuBLASLt's requirements:
// operands have their declared alignment, and the workspace is as large as the
// algorithm needs. large as the algorithm wants.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 7, NOT_SUPPORTED = 15, FAILED = 13 };
enum { WANTED_WORKSPACE = 1024 };

typedef struct layout {
  int32_t type, batch;
  uint64_t rows, columns;
  int64_t ld, stride;
} layout;

typedef struct product {
  int32_t transpose_a, transpose_b, epilogue;
  const float *bias;
} product;

typedef struct preference {
  uint64_t workspace;
  uint32_t alignment[4];
} preference;

typedef struct algorithm {
  uint64_t alignment, rest[7];
} algorithm;

typedef struct choice {
  algorithm of;
  size_t workspace;
  int32_t state;
  float waves;
  int32_t reserved[4];
} choice;

// The interface of cuda/: the failing call, the log, and work of any type.
static int (*planned)(const char *);
static void (*note)(const char *, ...);
static int (*issue)(void *, void (*)(void *), const void *, size_t);
static void (*count)(long);

static int enter(const char *name) {
  if (!planned) {
    void *driver = dlopen(getenv("WEIR_LIBCUDA"), RTLD_NOW);
    if (!driver)
      abort();
    *(void **)&note = dlsym(driver, "weir_cuda_note");
    *(void **)&issue = dlsym(driver, "weir_cuda_issue");
    *(void **)&count = dlsym(driver, "weir_cuda_count");
    *(void **)&planned = dlsym(driver, "weir_cuda_planned");
  }
  return planned(name) ? FAILED : OK;
}
#define CALL                                                                   \
  do {                                                                         \
    if (enter(__func__))                                                       \
      return FAILED;                                                           \
  } while (0)

static int make(void **made, size_t bytes) {
  *made = calloc(1, bytes);
  count(1);
  return OK;
}

static int unmake(void *gone) {
  free(gone);
  count(-1);
  return OK;
}

int cublasLtCreate(void **handle) {
  CALL;
  note("cublasLtCreate");
  return make(handle, 8);
}

int cublasLtDestroy(void *handle) {
  CALL;
  return unmake(handle);
}

int cublasLtMatmulDescCreate(void **made, int32_t compute, int32_t scale) {
  CALL;
  if (compute != 68 || scale != 0)
    return NOT_SUPPORTED;
  make(made, sizeof(product));
  ((product *)*made)->epilogue = 1;
  return OK;
}

int cublasLtMatmulDescDestroy(void *gone) {
  CALL;
  return unmake(gone);
}

int cublasLtMatmulDescSetAttribute(product *of, int32_t attribute,
                                   const void *value, size_t bytes) {
  CALL;
  void *to = attribute == 3   ? (void *)&of->transpose_a
             : attribute == 4 ? (void *)&of->transpose_b
             : attribute == 7 ? (void *)&of->epilogue
             : attribute == 8 ? (void *)&of->bias
                              : NULL;
  if (!to || bytes != (attribute == 8 ? 8 : 4))
    return INVALID_VALUE;
  memcpy(to, value, bytes);
  return OK;
}

int cublasLtMatrixLayoutCreate(void **made, int32_t type, uint64_t rows,
                               uint64_t columns, int64_t ld) {
  CALL;
  if (ld < (int64_t)rows)
    return INVALID_VALUE;
  make(made, sizeof(layout));
  *(layout *)*made = (layout){type, 1, rows, columns, ld, 0};
  return OK;
}

int cublasLtMatrixLayoutDestroy(void *gone) {
  CALL;
  return unmake(gone);
}

int cublasLtMatrixLayoutSetAttribute(layout *of, int32_t attribute,
                                     const void *value, size_t bytes) {
  CALL;
  if (attribute == 5 && bytes == 4)
    memcpy(&of->batch, value, 4);
  else if (attribute == 6 && bytes == 8)
    memcpy(&of->stride, value, 8);
  else
    return INVALID_VALUE;
  return OK;
}

int cublasLtMatmulPreferenceCreate(void **made) {
  CALL;
  make(made, sizeof(preference));
  for (int i = 0; i < 4; ++i)
    ((preference *)*made)->alignment[i] = 256;
  return OK;
}

int cublasLtMatmulPreferenceDestroy(void *gone) {
  CALL;
  return unmake(gone);
}

int cublasLtMatmulPreferenceSetAttribute(preference *of, int32_t attribute,
                                         const void *value, size_t bytes) {
  CALL;
  if (attribute == 1 && bytes == 8)
    memcpy(&of->workspace, value, 8);
  else if (attribute >= 5 && attribute <= 8 && bytes == 4)
    memcpy(&of->alignment[attribute - 5], value, 4);
  else
    return INVALID_VALUE;
  return OK;
}

// Rows and columns of op(x) must be those of the product.
int cublasLtMatmulAlgoGetHeuristic(void *handle, const product *of,
                                   const layout *a, const layout *b,
                                   const layout *c, const layout *d,
                                   const preference *wish, int32_t wanted,
                                   choice *choices, int32_t *found) {
  (void)handle, (void)c;
  CALL;
  uint64_t m = of->transpose_a ? a->columns : a->rows;
  uint64_t k = of->transpose_a ? a->rows : a->columns;
  uint64_t k2 = of->transpose_b ? b->columns : b->rows;
  uint64_t n = of->transpose_b ? b->rows : b->columns;
  note("cublasLtMatmulAlgoGetHeuristic %lux%lux%lu batch %d epilogue %d "
       "workspace %lu alignment %u",
       m, n, k, d->batch, of->epilogue, wish->workspace, wish->alignment[0]);
  *found = 0;
  if (wanted < 1 || k != k2 || d->rows != m || d->columns != n || a->type ||
      wish->workspace < WANTED_WORKSPACE)
    return OK;
  *found = 1;
  choices[0] = (choice){.workspace = WANTED_WORKSPACE};
  choices[0].of.alignment = wish->alignment[0];
  return OK;
}

typedef struct work {
  product of;
  layout a, b, d;
  const float *pa, *pb;
  float *pd, alpha, beta;
  char *workspace;
} work;

static void multiply(void *data) {
  const work *w = data;
  memset(w->workspace, 0xff, WANTED_WORKSPACE);
  for (int32_t batch = 0; batch < w->d.batch; ++batch)
    for (uint64_t j = 0; j < w->d.columns; ++j)
      for (uint64_t i = 0; i < w->d.rows; ++i) {
        const float *a = w->pa + batch * w->a.stride;
        const float *b = w->pb + batch * w->b.stride;
        uint64_t depth = w->of.transpose_a ? w->a.rows : w->a.columns;
        double sum = 0;
        for (uint64_t k = 0; k < depth; ++k)
          sum += (double)a[w->of.transpose_a ? k + i * (uint64_t)w->a.ld
                                             : i + k * (uint64_t)w->a.ld] *
                 b[w->of.transpose_b ? j + k * (uint64_t)w->b.ld
                                     : k + j * (uint64_t)w->b.ld];
        sum *= w->alpha;
        if (w->of.epilogue & 4)
          sum += w->of.bias[i];
        if (w->of.epilogue & 2 && sum < 0)
          sum = 0;
        w->pd[batch * w->d.stride + (int64_t)(i + j * (uint64_t)w->d.ld)] =
            (float)sum;
      }
}

int cublasLtMatmul(void *handle, const product *of, const float *alpha,
                   const void *a, const layout *al, const void *b,
                   const layout *bl, const float *beta, const void *c,
                   const layout *cl, void *d, const layout *dl,
                   const algorithm *by, void *workspace, size_t bytes,
                   void *stream) {
  (void)handle, (void)c, (void)cl;
  CALL;
  note("cublasLtMatmul");
  if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)d) % by->alignment ||
      bytes < WANTED_WORKSPACE || (of->epilogue & 4 && !of->bias))
    return INVALID_VALUE;
  work w = {*of, *al, *bl, *dl, a, b, d, *alpha, *beta, workspace};
  return issue(stream, multiply, &w, sizeof w) ? FAILED : OK;
}

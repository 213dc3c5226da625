// Computes convolutions of graphs, one element after another.

#include "cudnn.h"

#include <string.h>

typedef struct work {
  problem of;
  char *x, *filter, *bias, *residual, *y, *workspace;
} work;

int64_t place(const tensor *of, int64_t a, int64_t b, int64_t c, int64_t d) {
  return a * of->strides[0] + b * of->strides[1] + c * of->strides[2] +
         d * of->strides[3];
}

double load(const tensor *of, const char *at, int64_t i) {
  if (of->type == 2)
    return (double)((const _Float16 *)at)[i];
  float value;
  if (of->type == 9) {
    uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
    memcpy(&value, &bits, 4);
    return value;
  }
  return ((const float *)at)[i];
}

void store(const tensor *of, char *at, int64_t i, double sum) {
  float value = (float)sum;
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (of->type == 2)
    ((_Float16 *)at)[i] = (_Float16)value;
  else if (of->type == 9)
    ((uint16_t *)at)[i] =
        (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  else
    ((float *)at)[i] = value;
}

static double sum_at(const work *w, int64_t n, int64_t k, int64_t p,
                     int64_t q) {
  const problem *of = &w->of;
  const int64_t *f = of->filter.sizes, *x = of->x.sizes;
  int64_t first = k / (f[0] / (x[1] / f[1])) * f[1]; // channel of the group
  double sum = 0;
  for (int64_t r = 0; r < f[2]; ++r)
    for (int64_t s = 0; s < f[3]; ++s) {
      int64_t h = p * of->strides[0] + r * of->dilations[0] - of->before[0];
      int64_t v = q * of->strides[1] + s * of->dilations[1] - of->before[1];
      if (h < 0 || h >= x[2] || v < 0 || v >= x[3])
        continue;
      for (int64_t c = 0; c < f[1]; ++c)
        sum += load(&of->x, w->x, place(&of->x, n, first + c, h, v)) *
               load(&of->filter, w->filter, place(&of->filter, k, c, r, s));
    }
  return sum;
}

// The gradient of an element of the filter.
static double gradient_at(const work *w, int64_t k, int64_t c, int64_t r,
                          int64_t s) {
  const problem *of = &w->of;
  const int64_t *f = of->filter.sizes, *x = of->x.sizes, *y = of->y.sizes;
  int64_t first = k / (f[0] / (x[1] / f[1])) * f[1]; // channel of the group
  double sum = 0;
  for (int64_t p = 0; p < y[2]; ++p)
    for (int64_t q = 0; q < y[3]; ++q) {
      int64_t h = p * of->strides[0] + r * of->dilations[0] - of->before[0];
      int64_t v = q * of->strides[1] + s * of->dilations[1] - of->before[1];
      if (h < 0 || h >= x[2] || v < 0 || v >= x[3])
        continue;
      for (int64_t n = 0; n < y[0]; ++n)
        sum += load(&of->x, w->x, place(&of->x, n, first + c, h, v)) *
               load(&of->y, w->y, place(&of->y, n, k, p, q));
    }
  return sum;
}

static void differentiate(const work *w) {
  const tensor *to = &w->of.filter;
  const int64_t *f = to->sizes;
  for (int64_t k = 0; k < f[0]; ++k)
    for (int64_t c = 0; c < f[1]; ++c)
      for (int64_t r = 0; r < f[2]; ++r)
        for (int64_t s = 0; s < f[3]; ++s)
          store(to, w->filter, place(to, k, c, r, s),
                gradient_at(w, k, c, r, s));
}

static void convolve(void *data) {
  const work *w = data;
  const problem *of = &w->of;
  const int64_t *y = of->y.sizes;
  memset(w->workspace, 0xff, WANTED_WORKSPACE);
  if (of->gradient) {
    differentiate(w);
    return;
  }
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t k = 0; k < y[1]; ++k)
      for (int64_t p = 0; p < y[2]; ++p)
        for (int64_t q = 0; q < y[3]; ++q) {
          double sum = sum_at(w, n, k, p, q);
          if (w->bias)
            sum += load(&of->bias, w->bias, place(&of->bias, 0, k, 0, 0));
          if (w->residual)
            sum += load(&of->residual, w->residual,
                        place(&of->residual, n, k, p, q));
          if (of->relu && sum < 0)
            sum = 0;
          if (of->clip > 0 && sum > of->clip)
            sum = of->clip;
          store(&of->y, w->y, place(&of->y, n, k, p, q), sum);
        }
}

// The address of a tensor of the graph in the pack; null if it is missing or
// not aligned.
static char *address(const object *pack, const tensor *of, int *status) {
  void *const *at = attribute_of(pack, 1001);
  for (int64_t i = 0; i < how_many(pack, 1000) && of->number; ++i)
    if (numbers(pack, 1000)[i] == of->number) {
      if (!of->of_host && (uintptr_t)at[i] % (uintptr_t)of->alignment)
        *status = refuse(MISALIGNED, pack, "an operand");
      return at[i];
    }
  if (of->number)
    *status = refuse(NULL_POINTER, pack, "an operand");
  return NULL;
}

int cudnnBackendExecute(handle *by, const object *plan, const object *pack) {
  CALL;
  note("cudnnBackendExecute engine %ld", plan->of.engine);
  if (!plan->finalized || !pack->finalized)
    return refuse(NOT_FINALIZED, pack, "it is executed before it is");
  int status = OK;
  const problem *of = &plan->of;
  void *const *workspace = attribute_of(pack, 1003);
  if (of->q.number) {
    attention a = {*of,
                   address(pack, &of->q, &status),
                   address(pack, &of->k, &status),
                   address(pack, &of->v, &status),
                   address(pack, &of->mask, &status),
                   address(pack, &of->rows, &status),
                   address(pack, &of->out, &status),
                   *workspace,
                   0};
    const char *scale = address(pack, &of->scale, &status);
    if (status || !a.workspace)
      return status ? status : NULL_POINTER;
    memcpy(&a.scale, scale, sizeof a.scale); // now: it is in host memory
    return issue(by->stream, attend, &a, sizeof a) ? FAILED : OK;
  }
  work w = {*of,
            address(pack, &of->x, &status),
            address(pack, &of->filter, &status),
            address(pack, &of->bias, &status),
            address(pack, &of->residual, &status),
            address(pack, &of->y, &status),
            *workspace};
  if (status || !w.workspace)
    return status ? status : NULL_POINTER;
  return issue(by->stream, convolve, &w, sizeof w) ? FAILED : OK;
}

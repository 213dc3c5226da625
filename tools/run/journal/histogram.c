// Counts elements in the buckets that TensorFlow and TensorBoard use
// (tensorflow/core/lib/histogram), so that histograms of other programs are
// comparable.

#include "tools/run/journal/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Fields of HistogramProto.
enum {
  MIN = 1,
  MAX = 2,
  NUM = 3,
  SUM = 4,
  SUM_SQUARES = 5,
  LIMIT = 6,
  COUNT = 7
};

static void fill_limits(double *limits) {
  enum { ZERO = BUCKETS_OF_SIGN };
  double limit = 1e-12;
  for (int i = 1; i <= BUCKETS_OF_SIGN; ++i, limit *= 1.1) {
    if (i == BUCKETS_OF_SIGN)
      limit = DBL_MAX;
    limits[ZERO + i] = limit;
    limits[ZERO - i] = -limit;
  }
  limits[ZERO] = 0;
}

/// The first bucket whose limit is above the value; the last for the largest.
static int bucket_of(const double *limits, double value) {
  int low = 0, high = BUCKETS - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (limits[middle] > value)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void histogram_count(struct histogram *h, const struct array *array) {
  memset(h, 0, sizeof *h);
  fill_limits(h->limits);
  for (int64_t i = 0; i < array->elements; ++i) {
    double value = array_get(array, i);
    if (!isfinite(value)) {
      ++h->not_finite;
      continue;
    }
    h->least = h->count > 0 ? fmin(h->least, value) : value;
    h->most = h->count > 0 ? fmax(h->most, value) : value;
    ++h->count;
    h->sum += value;
    h->squares += value * value;
    ++h->counts[bucket_of(h->limits, value)];
  }
}

void histogram_write(const struct histogram *h, struct message *to) {
  double limits[BUCKETS], counts[BUCKETS];
  size_t written = 0;
  for (int i = 0; i < BUCKETS; ++i) {
    int last = i;
    while (h->counts[i] == 0 && last + 1 < BUCKETS && h->counts[last + 1] == 0)
      ++last;
    limits[written] = h->limits[last];
    counts[written++] = h->counts[i];
    i = last;
  }
  wire_double(to, MIN, h->least);
  wire_double(to, MAX, h->most);
  wire_double(to, NUM, h->count);
  wire_double(to, SUM, h->sum);
  wire_double(to, SUM_SQUARES, h->squares);
  wire_doubles(to, LIMIT, limits, written);
  wire_doubles(to, COUNT, counts, written);
}

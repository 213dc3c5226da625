// The distribution of an array's elements.
#ifndef WEIR_TOOLS_RUN_JOURNAL_HISTOGRAM_H
#define WEIR_TOOLS_RUN_JOURNAL_HISTOGRAM_H

#include "tools/run/array.h"
#include "tools/run/journal/wire.h"

/// Buckets of one sign: their limits grow by 10 % from 1e-12 to 1e20, and the
/// last limit is the largest number.
enum { BUCKETS_OF_SIGN = 775, BUCKETS = 2 * BUCKETS_OF_SIGN + 1 };

struct histogram {
  double limits[BUCKETS]; // each excludes the limit itself
  double counts[BUCKETS];
  double least, most, count, sum, squares;
  int64_t not_finite; // elements that are in no bucket
};

void histogram_count(struct histogram *histogram, const struct array *array);
/// Writes a HistogramProto. Empty buckets that follow each other become one.
void histogram_write(const struct histogram *histogram, struct message *to);

#endif

// A picture of how a number went, step by step.
#ifndef WEIR_TOOLS_RUN_JOURNAL_CURVE_H
#define WEIR_TOOLS_RUN_JOURNAL_CURVE_H

#include <stdint.h>
#include <stdio.h>

enum { MAX_BINS = 800 };

/// Consecutive steps. Steps with values that are not finite count, but their
/// values do not.
struct bin {
  double sum, least, most;
  int64_t steps, values;
};

/// However many the steps, bins are as many as a picture can show: where they
/// are all full, two become one.
struct curve {
  struct bin bins[MAX_BINS];
  int count;
  int64_t width; // steps of a bin
  int64_t steps;
};

void curve_add(struct curve *curve, double value);
/// Writes an SVG picture: the mean of each bin as a line, what lies between
/// least and most as a band. `what` is the name of the values.
void curve_draw(const struct curve *curve, const char *what, FILE *file);

#endif

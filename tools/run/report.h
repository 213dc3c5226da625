// What a run says at its end.
#ifndef WEIR_TOOLS_RUN_REPORT_H
#define WEIR_TOOLS_RUN_REPORT_H

#include "runtime/weir.h"
#include "tools/run/array.h"

#include <stdio.h>

struct timing {
  double *us; // of each run, sorted by the report
  long runs;
  double create_us;
  int threads;
};

double now_us(void);
/// Prints text as a JSON string.
void json_text(FILE *to, const char *text);
void report_json(const weir_function_info *function,
                 const struct array *outputs, struct timing *timing);
void report_plain(const weir_function_info *function,
                  const struct array *outputs, struct timing *timing,
                  int values);

#endif

// What a run says at its end.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/report.h"
#include "tools/run/library.h"

#include <stdlib.h>
#include <time.h>

double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void json_text(FILE *to, const char *text) {
  putc('"', to);
  for (const char *c = text; *c; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      fprintf(to, "\\u%04x", (unsigned char)*c);
    else if (*c == '"' || *c == '\\')
      fprintf(to, "\\%c", *c);
    else
      putc(*c, to);
  putc('"', to);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const struct timing *timing, double part) {
  return timing->us[(long)((double)(timing->runs - 1) * part + 0.5)];
}

void report_json(const weir_function_info *function,
                 const struct array *outputs, struct timing *timing) {
  printf("{\"function\": ");
  json_text(stdout, function->name);
  printf(", \"outputs\": [");
  for (uint32_t i = 0; i < function->num_outputs; ++i) {
    char type[1600];
    if (whose_shape(function->outputs, function->num_outputs, i) >= 0)
      continue;
    array_type_text(&outputs[i], type, sizeof type);
    printf("%s{\"name\": ", i ? ", " : "");
    json_text(stdout, function->outputs[i].name);
    printf(", \"tensor\": ");
    json_text(stdout, function->outputs[i].tensor);
    printf(", \"type\": \"%s\"}", type);
  }
  qsort(timing->us, (size_t)timing->runs, sizeof(double), ascending);
  printf("], \"median_us\": %.3f, \"p90_us\": %.3f, \"p99_us\": %.3f, "
         "\"min_us\": %.3f, \"runs\": %ld, \"threads\": %d, "
         "\"create_us\": %.3f}\n",
         quantile(timing, 0.5), quantile(timing, 0.9), quantile(timing, 0.99),
         timing->us[0], timing->runs, timing->threads, timing->create_us);
}

/// So that reading it again gives the same value.
static void print_element(const struct array *array, int64_t i) {
  if (array->dtype == WEIR_I64)
    printf("%lld", (long long)((const int64_t *)array->data)[i]);
  else if (array->dtype == WEIR_U64)
    printf("%llu", (unsigned long long)((const uint64_t *)array->data)[i]);
  else if (array->dtype >= WEIR_BOOL) // a double holds all of these
    printf("%.0f", array_get(array, i));
  else
    printf("%.*g", array->dtype == WEIR_F64 ? 17 : 9, array_get(array, i));
}

/// The strings that the elements stand for, or the names of the columns.
static void print_strings(const weir_tensor_info *info,
                          const struct array *array) {
  int is_index = info->dtype == WEIR_I64;
  int64_t count = is_index ? array->elements : info->num_strings;
  printf(is_index ? " (" : " (columns ");
  for (int64_t k = 0; k < count && k < 64; ++k) {
    int64_t at = is_index ? ((const int64_t *)array->data)[k] : k;
    if (k)
      putchar(',');
    if (at >= 0 && at < info->num_strings)
      json_text(stdout, info->strings[at]);
  }
  printf(count > 64 ? ",...)" : ")");
}

void report_plain(const weir_function_info *function,
                  const struct array *outputs, struct timing *timing,
                  int values) {
  for (uint32_t i = 0; values && i < function->num_outputs; ++i) {
    char type[1600];
    if (whose_shape(function->outputs, function->num_outputs, i) >= 0)
      continue;
    const struct array *one = &outputs[i];
    array_type_text(one, type, sizeof type);
    printf("%s: %s=", function->outputs[i].name, type);
    for (int64_t k = 0; k < one->elements && k < 64; ++k) {
      if (k)
        putchar(',');
      print_element(one, k);
    }
    if (one->elements > 64)
      printf(",...");
    if (function->outputs[i].num_strings)
      print_strings(&function->outputs[i], one);
    putchar('\n');
  }
  if (timing->runs < 2)
    return;
  qsort(timing->us, (size_t)timing->runs, sizeof(double), ascending);
  printf("%ld runs: median %.3f us, 90 %% within %.3f, 99 %% within %.3f, "
         "fastest %.3f; create %.3f us\n",
         timing->runs, quantile(timing, 0.5), quantile(timing, 0.9),
         quantile(timing, 0.99), timing->us[0], timing->create_us);
}

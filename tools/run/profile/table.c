// Prints a profile as tables, and as JSON.

#include "tools/run/execute.h"

static uint64_t time_of_all(const struct profile *profile) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < profile->count; ++i)
    sum += profile->times[i].nanoseconds;
  return sum;
}

static double per(double amount, uint64_t by) {
  return by ? amount / (double)by : 0;
}

/// Names may have any bytes, of which a terminal shows the printable ones.
static void print_name(const char *name) {
  for (; *name; ++name)
    putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
  putchar('\n');
}

/// Names what ran, where the library has several functions or variants.
static void print_heading(const struct run *run) {
  const char *variant = profile_variant(run);
  uint32_t first = 0, count = profile_functions(run, &first);
  if (count == 1 && run->info->num_functions > 1) {
    printf("function ");
    print_name(run->info->functions[first].name);
  }
  if (variant) {
    printf("variant ");
    print_name(variant);
  }
}

static void print_rows(const struct profile_rows *rows, uint64_t all,
                       const char *heading) {
  printf("%10s %14s %8s %12s %12s %9s %8s  %s\n", "calls", "time us", "share",
         "MB", "M mul-adds", "GFLOP/s", "GB/s", heading);
  for (uint32_t i = 0; i < rows->count; ++i) {
    const struct profile_row *row = &rows->all[i];
    printf("%10llu %14.3f %6.1f %% %12.3f %12.3f %9.2f %8.2f  ",
           (unsigned long long)row->calls, (double)row->nanoseconds / 1e3,
           100 * per((double)row->nanoseconds, all), row->bytes / 1e6,
           row->multiply_adds / 1e6,
           2 * per(row->multiply_adds, row->nanoseconds),
           per(row->bytes, row->nanoseconds));
    print_name(row->name);
  }
}

/// The measured time in microseconds: the caller's, or else the library's.
static double time_of_runs(const struct run *run, double measured) {
  return measured > 0 ? measured : (double)run->profile.runs.nanoseconds / 1e3;
}

int profile_print(struct run *run, double measured) {
  const struct profile *profile = &run->profile;
  uint64_t all = time_of_all(profile);
  print_heading(run);
  for (int by_nodes = 0; by_nodes < 2; ++by_nodes) {
    struct profile_rows rows;
    int bad = profile_sum(run, by_nodes, &rows);
    if (!bad) {
      print_rows(&rows, all, by_nodes ? "nodes" : "kernel");
      putchar('\n');
    }
    profile_free(&rows);
    if (bad)
      return fail("not enough memory for the profile", LIMIT);
  }
  double runs = time_of_runs(run, measured);
  printf("sum %.3f us of %.3f us measured (%.1f %%), %llu runs%s\n",
         (double)all / 1e3, runs, runs > 0 ? (double)all / runs / 10 : 0,
         (unsigned long long)profile->runs.runs,
         profile->has_failed ? "; one has failed" : "");
  if (profile->runs.on_gpu)
    puts("times of kernels are those of the GPU, by events of its driver");
  return 0;
}

static void json_rows(FILE *to, const struct run *run, int by_nodes) {
  struct profile_rows rows;
  fprintf(to, ",\n \"%s\": [", by_nodes ? "nodes" : "kernels");
  if (!profile_sum(run, by_nodes, &rows))
    for (uint32_t i = 0; i < rows.count; ++i) {
      const struct profile_row *row = &rows.all[i];
      fprintf(to, "%s\n  {\"name\": ", i ? "," : "");
      json_text(to, row->name);
      fprintf(to,
              ", \"calls\": %llu, \"us\": %.3f, \"bytes\": %.0f, "
              "\"multiply_adds\": %.0f, \"gflops\": %.3f, \"gbs\": %.3f}",
              (unsigned long long)row->calls, (double)row->nanoseconds / 1e3,
              row->bytes, row->multiply_adds,
              2 * per(row->multiply_adds, row->nanoseconds),
              per(row->bytes, row->nanoseconds));
    }
  profile_free(&rows);
  fputs("]", to);
}

static void json_task(FILE *to, const struct run *run, uint32_t i) {
  const weir_profile_task *task = &run->profile.tasks[i];
  const weir_profile_time *time = &run->profile.times[i];
  fprintf(to, "%s\n  {\"function\": ", i ? "," : "");
  json_text(to, run->info->functions[task->function].name);
  fputs(", \"kernel\": ", to);
  json_text(to, task->kernel);
  fprintf(to, ", \"phase\": %u, \"nodes\": [", task->phase);
  for (uint64_t k = 0; k < task->num_nodes; ++k) {
    fputs(k ? ", " : "", to);
    json_text(to, task->nodes[k]);
  }
  fprintf(to,
          "], \"calls\": %llu, \"us\": %.3f, \"bytes_read\": %llu, "
          "\"bytes_written\": %llu, \"multiply_adds\": %llu}",
          (unsigned long long)time->calls, (double)time->nanoseconds / 1e3,
          (unsigned long long)task->bytes_read,
          (unsigned long long)task->bytes_written,
          (unsigned long long)task->multiply_adds);
}

void profile_json(FILE *to, const struct run *run, double measured) {
  const struct profile *profile = &run->profile;
  fprintf(to, "{\"function\": ");
  json_text(to, run->function->name);
  if (profile_variant(run)) {
    fputs(", \"variant\": ", to);
    json_text(to, profile_variant(run));
  }
  fprintf(to,
          ", \"failed\": %s, \"runs\": %llu, \"threads\": %u, \"measured_us\": "
          "%.3f, "
          "\"runs_us\": %.3f, \"sum_us\": %.3f,%s\n \"tasks\": [",
          profile->has_failed ? "true" : "false",
          (unsigned long long)profile->runs.runs, profile->runs.threads,
          time_of_runs(run, measured), (double)profile->runs.nanoseconds / 1e3,
          (double)time_of_all(profile) / 1e3,
          profile->runs.on_gpu ? " \"clock\": \"gpu\"," : "");
  for (uint32_t i = 0; i < profile->count; ++i)
    json_task(to, run, i);
  fputs("]", to);
  json_rows(to, run, 0);
  json_rows(to, run, 1);
  fputs("}\n", to);
}

// The main of the programs that GEN_TEST and GEN_BENCHMARK of weir_add_library
// make: weir-run with one library linked in, whose name is in WEIR_INFO.

#include "tools/run/run.h"

#include <stdlib.h>
#include <string.h>

extern const weir_model_info *WEIR_INFO(void);

/// Options that hold unless the command line has them.
static char usual[][4096] = {
    "--random=1",
#ifdef WEIR_BENCHMARK
    "--warmup=10",
    "--repeat=100",
#endif
#ifdef WEIR_WEIGHTS
    "--weights=" WEIR_WEIGHTS,
#endif
};

int main(int argc, char **argv) {
  size_t count = (size_t)argc, most = sizeof usual / sizeof *usual;
  char **all = calloc(count + most + 1, sizeof *all);
  if (!all)
    return 75;
  memcpy(all, argv, count * sizeof *all);
  for (size_t i = 0; i < most; ++i) {
    size_t name = strcspn(usual[i], "=") + 1;
    int given = 0;
    for (int k = 1; k < argc; ++k)
      given |= !strncmp(argv[k], usual[i], name);
    if (!given)
      all[count++] = usual[i];
  }
  int status = weir_run_main((int)count, all, WEIR_INFO());
  free(all);
  return status;
}

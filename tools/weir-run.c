// weir-run: runs a library that weir compiled. It links nothing of LLVM.

#include "tools/run/run.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--version"))
    return puts("weir-run " WEIR_VERSION) < 0 || fflush(stdout) ? 74 : 0;
  return weir_run_main(argc, argv, NULL);
}

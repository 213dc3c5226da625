// weir-run: runs a library that weir compiled. It links nothing of LLVM.

#include "tools/run/run.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    puts("weir-run " WEIR_VERSION);
    return flushed(0);
  }
  return weir_run_main(argc, argv, NULL);
}

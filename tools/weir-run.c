// weir-run: runs a library that weir compiled. It links nothing of LLVM.

#include "tools/run/ranks/ranks.h"
#include "tools/run/run.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    const char *commit = WEIR_COMMIT, *build = WEIR_BUILD;
    puts("weir-run " WEIR_VERSION);
    if (*commit)
      printf("commit: %s\n", commit);
    printf("build: %s\ntargets: %s\n", *build ? build : "no type", WEIR_TARGET);
    return flushed(0);
  }
  weir_run_ranks = &weir_run_all_ranks;
  return weir_run_main(argc, argv, NULL);
}

// weir-run: runs a library that weir compiled. It links nothing of LLVM.

#include "tools/run/run.h"

#include <stddef.h>

int main(int argc, char **argv) { return weir_run_main(argc, argv, NULL); }

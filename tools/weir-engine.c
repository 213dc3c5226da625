// weir-engine: weir as one engine of a benchmark; test/bench/weir-engine runs
// it.

#include "tools/run/engine.h"

int main(int argc, char **argv) { return engine_main(argc, argv); }

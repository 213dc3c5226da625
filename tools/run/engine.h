// weir as one engine among others of a benchmark.
#ifndef WEIR_TOOLS_RUN_ENGINE_H
#define WEIR_TOOLS_RUN_ENGINE_H

int engine_main(int argc, char **argv);

#endif

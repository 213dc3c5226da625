// Libraries compiled once for each model, number of threads and compiler.
#ifndef WEIR_TOOLS_RUN_CACHE_H
#define WEIR_TOOLS_RUN_CACHE_H

#include <stddef.h>

/// Sets `library` to the compiled model, compiling it if need be with the
/// `weir` beside this program. 0, or an exit status with a sentence in `error`.
int cache_compile(const char *model, int threads, char *library,
                  size_t library_size, char *error, size_t error_size);

#endif

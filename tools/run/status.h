// The exit statuses of weir-run, which are those of weir.
#ifndef WEIR_TOOLS_RUN_STATUS_H
#define WEIR_TOOLS_RUN_STATUS_H

#include <errno.h>

enum { FAULT = 1, USAGE = 2, IO = 74, LIMIT = 75 };

/// For a call of the system that failed with this error.
static inline int status_of_error(int error) {
  return error == ENOMEM || error == EAGAIN ? LIMIT : IO;
}

#endif

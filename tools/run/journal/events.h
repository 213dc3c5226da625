// Files of events by step, as TensorBoard reads them.
#ifndef WEIR_TOOLS_RUN_JOURNAL_EVENTS_H
#define WEIR_TOOLS_RUN_JOURNAL_EVENTS_H

#include "tools/run/journal/wire.h"

#include <stdio.h>

struct events {
  FILE *file;
  uint32_t crc[256]; // of each byte
  int is_short;      // memory ended, so the file lacks events
};

/// Begins a new file of events in a folder, which is made where it is not
/// there. 0, or -1 with a sentence in `error`.
int events_open(struct events *events, const char *folder, char *error,
                size_t size);
/// Adds the values of one step to the file, and frees them.
void events_add(struct events *events, int64_t step, struct message *summary);
/// 0, or -1 where something was not written.
int events_close(struct events *events);

#endif

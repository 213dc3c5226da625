// Files that appear whole or not at all.
#ifndef WEIR_TOOLS_RUN_FILE_WHOLE_H
#define WEIR_TOOLS_RUN_FILE_WHOLE_H

#include <stdint.h>
#include <stdio.h>

struct whole {
  FILE *file;           // null where none is open
  char path[4096];      // empty where none is begun
  char temporary[4200]; // beside it; empty where that is no regular file
  int is_new;           // has its name, which no file had before
};

/// Begins a file that `path` will name. 0, or -1 with `errno`.
int whole_begin(struct whole *whole, const char *path);
/// Ends its content, which is on the disk then. 0, or -1 with `errno`, and
/// there is no file to place.
int whole_end(struct whole *whole);
/// Gives all files their names, or none. 0, or -1 with `errno`.
int whole_place(struct whole *all, uint32_t count);
/// Leaves no trace of a file that has no name yet.
void whole_drop(struct whole *whole);

#endif

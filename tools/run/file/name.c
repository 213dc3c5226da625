// The names of files that have outputs.

#include "tools/run/file/name.h"

#include <stddef.h>
#include <string.h>

/// The character of a file's name for one of an output's name.
static char in_file(char c) { return c == '/' || c == ':' ? '_' : c; }

int same_file_name(const char *a, const char *b) {
  for (; *a && in_file(*a) == in_file(*b); ++a, ++b)
    ;
  return !*a && !*b;
}

static const char *escape(char c) {
  return c == '/' ? "%2F" : c == ':' ? "%3A" : "%25";
}

int file_name(const char *name, int escapes, char file[MAX_FILE_NAME + 1]) {
  size_t at = 0;
  for (; *name; ++name) {
    char plain[2] = {in_file(*name), 0};
    const char *text = escapes && strchr("/:%", *name) ? escape(*name) : plain;
    for (; *text; ++text) {
      if (at + strlen(".npy") >= MAX_FILE_NAME)
        return -1;
      file[at++] = *text;
    }
  }
  memcpy(file + at, ".npy", sizeof ".npy");
  return 0;
}

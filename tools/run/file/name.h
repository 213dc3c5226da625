// The names of files that have outputs.
#ifndef WEIR_TOOLS_RUN_FILE_NAME_H
#define WEIR_TOOLS_RUN_FILE_NAME_H

enum { MAX_FILE_NAME = 255 };

/// Whether two outputs have the same short file name.
int same_file_name(const char *a, const char *b);
/// The file name of an output: `/` and `:` become `_`. If two outputs would
/// have the same file, these characters and `%` become `%2F`, `%3A` and `%25`.
/// 0, or -1 for a name that is too long.
int file_name(const char *name, int escapes, char file[MAX_FILE_NAME + 1]);

#endif

// Files under other names until all are written.

#define _GNU_SOURCE
#include "tools/run/file/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int whole_begin(struct whole *whole, const char *path) {
  struct stat info;
  whole->file = NULL;
  whole->path[0] = whole->temporary[0] = 0;
  whole->is_new = 0;
  if (strlen(path) >= sizeof whole->path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  // Devices, pipes and links are written through.
  if (!lstat(path, &info) && !S_ISREG(info.st_mode)) {
    whole->file = fopen(path, "w");
  } else {
    // The file's own name may be as long as names can be.
    static unsigned number;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path + 1) : 0;
    for (int i = 0; !whole->file && i < 1000; ++i) {
      snprintf(whole->temporary, sizeof whole->temporary,
               "%.*s.weir-%ld-%u.tmp", folder, path, (long)getpid(), number++);
      whole->file = fopen(whole->temporary, "wx");
      if (!whole->file && errno != EEXIST)
        break;
    }
  }
  if (whole->file)
    strcpy(whole->path, path);
  return whole->file ? 0 : -1;
}

/// Some file systems have nothing to sync, and refuse.
static int sync_file(FILE *file) {
  return fsync(fileno(file)) && errno != EINVAL && errno != ENOTSUP;
}

int whole_end(struct whole *whole) {
  int why = ferror(whole->file) ? EIO : 0;
  if (!why && fflush(whole->file))
    why = errno;
  if (!why && whole->temporary[0] && sync_file(whole->file))
    why = errno;
  if (fclose(whole->file) && !why)
    why = errno;
  whole->file = NULL;
  if (why)
    whole_drop(whole);
  errno = why;
  return why ? -1 : 0;
}

void whole_drop(struct whole *whole) {
  if (whole->file)
    fclose(whole->file);
  if (whole->temporary[0])
    unlink(whole->temporary);
  whole->file = NULL;
  whole->path[0] = whole->temporary[0] = 0;
}

/// What was there has the temporary name then, where the file system can
/// exchange two files.
static int place(struct whole *whole) {
  if (!renameat2(AT_FDCWD, whole->temporary, AT_FDCWD, whole->path,
                 RENAME_EXCHANGE))
    return 0;
  int was_there = errno != ENOENT;
  if (rename(whole->temporary, whole->path))
    return -1;
  whole->temporary[0] = 0;
  whole->is_new = !was_there;
  return 0;
}

int whole_place(struct whole *all, uint32_t count) {
  int why = 0;
  uint32_t placed = 0;
  for (; placed < count; ++placed)
    if (all[placed].temporary[0] && place(&all[placed])) {
      why = errno;
      break;
    }
  for (uint32_t i = 0; why && i < placed; ++i) {
    if (all[i].is_new)
      unlink(all[i].path);
    else if (all[i].temporary[0])
      rename(all[i].temporary, all[i].path);
  }
  // What is under a temporary name is what was replaced, or could not be
  // placed.
  for (uint32_t i = 0; i < count; ++i)
    whole_drop(&all[i]);
  errno = why;
  return why ? -1 : 0;
}

// The little of libc that the runtime calls, declared here so that it compiles
// for any Linux target without that target's headers.
#ifndef WEIR_RUNTIME_LIBC_H
#define WEIR_RUNTIME_LIBC_H

#include <stddef.h>
#include <stdint.h>

void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *aligned_alloc(size_t align, size_t bytes);
void free(void *memory);
int open(const char *path, int flags, ...);
int close(int file);
int64_t lseek64(int file, int64_t offset, int whence);
void *mmap64(void *at, size_t bytes, int protection, int flags, int file,
             int64_t offset);
int munmap(void *at, size_t bytes);
int madvise(void *at, size_t bytes, int advice);

enum {
  O_RDONLY_ = 0,
  O_NONBLOCK_ = 04000,
  O_CLOEXEC_ = 02000000,
  SEEK_END_ = 2,
  PROT_READ_ = 1,
  MAP_SHARED_ = 1,
  MADV_HUGEPAGE_ = 14
};

#endif

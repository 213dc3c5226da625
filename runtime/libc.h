// The little of libc that the runtime calls, declared here so that it compiles
// for any Linux target without that target's headers. Offsets in files have 64
// bits on all of them, by the names without that number, which every libc has.
#ifndef WEIR_RUNTIME_LIBC_H
#define WEIR_RUNTIME_LIBC_H

#include <stddef.h>
#include <stdint.h>

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *aligned_alloc(size_t align, size_t bytes);
void free(void *memory);
int open(const char *path, int flags, ...);
int close(int file);
long write(int file, const void *from, size_t bytes);
long pread(int file, void *to, size_t bytes, int64_t offset);
int fsync(int file);
int rename(const char *from, const char *to);
int unlink(const char *path);
int mkdir(const char *path, uint32_t mode);
int64_t lseek(int file, int64_t offset, int whence);
void *mmap(void *at, size_t bytes, int protection, int flags, int file,
           int64_t offset);
int munmap(void *at, size_t bytes);
int madvise(void *at, size_t bytes, int advice);
int getpid(void);
int *__errno_location(void); // where errno lies
int sched_yield(void);
int sched_getcpu(void);

typedef struct weir_timespec {
  int64_t seconds, nanoseconds;
} weir_timespec;
int clock_gettime(int clock, weir_timespec *at);

// A set of processors, as large as the largest that a libc knows.
typedef struct weir_cpus {
  uint64_t words[16];
} weir_cpus;
int sched_getaffinity(int process, size_t bytes, weir_cpus *set);
long syscall(long number, ...);
void *dlopen(const char *file, int flags);
void *dlsym(void *library, const char *name);
char *dlerror(void);
char *secure_getenv(const char *name);

// Threads. Weak: a program that asks for none need not link them; a model that
// is compiled for more than one makes them strong (compiler/emit/Object.cpp).
// The blocks are as large as those of any libc.
typedef struct weir_pthread_mutex {
  uint64_t words[8];
} weir_pthread_mutex;
typedef struct weir_pthread_cond {
  uint64_t words[8];
} weir_pthread_cond;
typedef struct weir_sigset {
  uint64_t words[16];
} weir_sigset;
typedef unsigned long weir_pthread;
#define WEIR_WEAK __attribute__((weak))
WEIR_WEAK int pthread_create(weir_pthread *thread, const void *attributes,
                             void *(*start)(void *), void *argument);
WEIR_WEAK int pthread_join(weir_pthread thread, void **result);
WEIR_WEAK int pthread_setaffinity_np(weir_pthread thread, size_t bytes,
                                     const weir_cpus *set);
WEIR_WEAK int pthread_sigmask(int how, const weir_sigset *set,
                              weir_sigset *old);
WEIR_WEAK int pthread_mutex_init(weir_pthread_mutex *mutex, const void *kind);
WEIR_WEAK int pthread_mutex_destroy(weir_pthread_mutex *mutex);
WEIR_WEAK int pthread_mutex_lock(weir_pthread_mutex *mutex);
WEIR_WEAK int pthread_mutex_unlock(weir_pthread_mutex *mutex);
WEIR_WEAK int pthread_cond_init(weir_pthread_cond *cond, const void *kind);
WEIR_WEAK int pthread_cond_destroy(weir_pthread_cond *cond);
WEIR_WEAK int pthread_cond_signal(weir_pthread_cond *cond);
WEIR_WEAK int pthread_cond_wait(weir_pthread_cond *cond,
                                weir_pthread_mutex *mutex);

enum {
  O_RDONLY_ = 0,
  O_NONBLOCK_ = 04000,
  O_CLOEXEC_ = 02000000,
  O_WRONLY_ = 1,
  O_CREAT_ = 0100,
  O_EXCL_ = 0200,
  O_TRUNC_ = 01000,
  ENOENT_ = 2,
  EEXIST_ = 17,
  EINVAL_ = 22,
  ESPIPE_ = 29,
  SEEK_END_ = 2,
  PROT_READ_ = 1,
  PROT_WRITE_ = 2,
  MAP_SHARED_ = 1,
  MAP_PRIVATE_ = 2,
  MAP_ANONYMOUS_ = 0x20,
  MADV_HUGEPAGE_ = 14,
  MADV_WIPEONFORK_ = 18,     // from Linux 4.14 on
  MADV_POPULATE_WRITE_ = 23, // from Linux 5.14 on
  SIG_SETMASK_ = 2,
  RTLD_NOW_ = 2,
  CLOCK_MONOTONIC_ = 1,
  SYS_ARCH_PRCTL_ = 158, // of x86-64
  ARCH_GET_XCOMP_SUPP_ = 0x1021,
  ARCH_REQ_XCOMP_PERM_ = 0x1023,
  XFEATURE_TILE_DATA_ = 18
};

#endif

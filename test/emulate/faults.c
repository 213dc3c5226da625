/* Makes calls of the system fail in the program that FAULT_PROGRAM names.
 *
 *   cc -O1 -shared -fPIC faults.c -o faults.so -ldl
 *   LD_PRELOAD=./faults.so FAULT_PROGRAM=weir FAULT_CALL=write FAULT_AT=3 \
 *     FAULT_ERRNO=EIO weir ...
 *
 * The FAULT_AT-th call of that name fails with FAULT_ERRNO; with FAULT_EVER in
 * the environment, so do all after it. FAULT_LOG names a file: it holds how
 * often the call was made, for the caller to know when it has seen all. A
 * close that fails has closed the file, as Linux does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *chosen;
static long at, ever;
static int code;
static atomic_long count;

static const struct {
  const char *name;
  int code;
} codes[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
             {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EACCES", EACCES},
             {"EINTR", EINTR}};

/* Before any other constructor, so that their calls count. */
__attribute__((constructor(101))) static void begin(void) {
  const char *program = getenv("FAULT_PROGRAM"), *number = getenv("FAULT_AT");
  const char *word = getenv("FAULT_ERRNO");
  if (!program || strcmp(program, program_invocation_short_name) || !number)
    return;
  for (size_t i = 0; word && i < sizeof codes / sizeof *codes; ++i)
    if (!strcmp(word, codes[i].name))
      code = codes[i].code;
  at = atol(number);
  ever = getenv("FAULT_EVER") != NULL;
  chosen = getenv("FAULT_CALL");
}

static int is_chosen(const char *call) {
  return chosen && !strcmp(chosen, call);
}

static int fails(const char *call) {
  if (!is_chosen(call))
    return 0;
  long number = ++count;
  if (ever ? number < at : number != at)
    return 0;
  errno = code;
  return 1;
}

static void tell(void) {
  const char *path = getenv("FAULT_LOG");
  if (!chosen || !path)
    return;
  char text[24];
  long left = count;
  int i = sizeof text;
  do
    text[--i] = (char)('0' + left % 10);
  while (left /= 10);
  int file = (int)syscall(SYS_openat, AT_FDCWD, path,
                          O_WRONLY | O_CREAT | O_TRUNC, 0666);
  syscall(SYS_write, file, text + i, sizeof text - (size_t)i);
  syscall(SYS_close, file);
}

__attribute__((destructor)) static void end(void) { tell(); }

void _exit(int status) {
  tell();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

#define REAL(type, name, ...)                                                  \
  static type (*real)(__VA_ARGS__);                                            \
  if (!real)                                                                   \
  real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
  return fails("malloc") ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes) {
  return fails("malloc") ? NULL : __libc_calloc(n, bytes);
}
void *realloc(void *memory, size_t bytes) {
  return fails("malloc") ? NULL : __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  return fails("malloc") ? NULL : __libc_memalign(align, bytes);
}
int posix_memalign(void **to, size_t align, size_t bytes) {
  if (fails("malloc"))
    return ENOMEM;
  *to = __libc_memalign(align, bytes);
  return *to ? 0 : ENOMEM;
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
  if (fails("open"))
    return -1;
  long file = syscall(SYS_openat, folder, path, flags, mode);
  return (int)file;
}

#define MODE                                                                   \
  va_list list;                                                                \
  va_start(list, flags);                                                       \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;      \
  va_end(list)
int open(const char *path, int flags, ...) {
  MODE;
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE;
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE;
  return opened(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE;
  return opened(folder, path, flags, mode);
}

ssize_t read(int file, void *to, size_t bytes) {
  REAL(ssize_t, "read", int, void *, size_t);
  return fails("read") ? -1 : real(file, to, bytes);
}
ssize_t pread(int file, void *to, size_t bytes, off_t offset) {
  REAL(ssize_t, "pread", int, void *, size_t, off_t);
  return fails("read") ? -1 : real(file, to, bytes, offset);
}
ssize_t pread64(int file, void *to, size_t bytes, off64_t offset) {
  REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
  return fails("read") ? -1 : real(file, to, bytes, offset);
}
/* What the program says of its failure is not made to fail. */
ssize_t write(int file, const void *from, size_t bytes) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return file != 2 && fails("write") ? -1 : real(file, from, bytes);
}
int close(int file) {
  int failed = fails("close");
  int result = (int)syscall(SYS_close, file);
  if (failed)
    errno = code;
  return failed ? -1 : result;
}
int fsync(int file) {
  return fails("fsync") ? -1 : (int)syscall(SYS_fsync, file);
}
int ftruncate(int file, off_t bytes) {
  return fails("truncate") ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}
int ftruncate64(int file, off64_t bytes) { return ftruncate(file, bytes); }
int rename(const char *from, const char *to) {
  return fails("rename") ? -1 : (int)syscall(SYS_rename, from, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return fails("rename") ? -1
                         : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}
void *mmap(void *where, size_t bytes, int protection, int flags, int file,
           off_t offset) {
  REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
  return fails("mmap") ? MAP_FAILED
                       : real(where, bytes, protection, flags, file, offset);
}
void *mmap64(void *where, size_t bytes, int protection, int flags, int file,
             off64_t offset) {
  return mmap(where, bytes, protection, flags, file, offset);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *argument) {
  REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *,
       void *(*)(void *), void *);
  return fails("pthread_create") ? code
                                 : real(thread, attributes, start, argument);
}

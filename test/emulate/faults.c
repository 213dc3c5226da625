/* Makes calls of the system fail in the program that FAULT_PROGRAM names.
 *
 *   cc -O1 -shared -fPIC faults.c -o faults.so -ldl
 *   LD_PRELOAD=./faults.so FAULT_PROGRAM=weir FAULT_CALL=write FAULT_AT=3 \
 *     FAULT_ERRNO=EIO weir ...
 *
 * The FAULT_AT-th call of that name fails with FAULT_ERRNO; with FAULT_EVER in
 * the environment, so do all after it. FAULT_LOG names a file: it holds how
 * often the call was made, for the caller to know when it has seen all. A
 * close that fails has closed the file, as Linux does. The calls that stdio
 * makes within libc fail with stdio's own functions.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
             {"EINTR", EINTR},   {"ECHILD", ECHILD}};

/* This runs before any other constructor, so that their calls count. */
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
int __open_2(const char *path, int flags) {
  return opened(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags) {
  return opened(AT_FDCWD, path, flags, 0);
}
int memfd_create(const char *name, unsigned flags) {
  return fails("open") ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}
FILE *fopen(const char *path, const char *mode) {
  REAL(FILE *, "fopen", const char *, const char *);
  return fails("open") ? NULL : real(path, mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
DIR *opendir(const char *path) {
  REAL(DIR *, "opendir", const char *);
  return fails("open") ? NULL : real(path);
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
ssize_t __read_chk(int file, void *to, size_t bytes, size_t room) {
  return bytes > room ? -1 : read(file, to, bytes);
}
ssize_t __pread64_chk(int file, void *to, size_t bytes, off64_t offset,
                      size_t room) {
  return bytes > room ? -1 : pread64(file, to, bytes, offset);
}
ssize_t __pread_chk(int file, void *to, size_t bytes, off_t offset,
                    size_t room) {
  return bytes > room ? -1 : pread(file, to, bytes, offset);
}
/* The program's error message itself never fails. */
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

/* A stream whose system call failed. */
static int spoil(FILE *stream) {
  stream->_flags |= _IO_ERR_SEEN;
  return EOF;
}
size_t fread(void *to, size_t size, size_t count, FILE *stream) {
  REAL(size_t, "fread", void *, size_t, size_t, FILE *);
  if (!fails("read"))
    return real(to, size, count, stream);
  spoil(stream);
  return 0;
}
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
  REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
  if (stream == stderr || !fails("write"))
    return real(from, size, count, stream);
  spoil(stream);
  return 0;
}
int fflush(FILE *stream) {
  REAL(int, "fflush", FILE *);
  int writes = stream && stream != stderr && __fpending(stream);
  if (!writes || !fails("write"))
    return real(stream);
  return spoil(stream);
}
int fclose(FILE *stream) {
  REAL(int, "fclose", FILE *);
  int failed = fails("close"), result = real(stream);
  if (failed)
    errno = code;
  return failed ? EOF : result;
}

int stat(const char *path, struct stat *info) {
  REAL(int, "stat", const char *, struct stat *);
  return fails("stat") ? -1 : real(path, info);
}
int lstat(const char *path, struct stat *info) {
  REAL(int, "lstat", const char *, struct stat *);
  return fails("stat") ? -1 : real(path, info);
}
int fstat(int file, struct stat *info) {
  REAL(int, "fstat", int, struct stat *);
  return fails("stat") ? -1 : real(file, info);
}
int fstatat(int folder, const char *path, struct stat *info, int flags) {
  REAL(int, "fstatat", int, const char *, struct stat *, int);
  return fails("stat") ? -1 : real(folder, path, info, flags);
}
int stat64(const char *path, struct stat64 *info) {
  return stat(path, (struct stat *)info);
}
int lstat64(const char *path, struct stat64 *info) {
  return lstat(path, (struct stat *)info);
}
int fstat64(int file, struct stat64 *info) {
  return fstat(file, (struct stat *)info);
}
int fstatat64(int folder, const char *path, struct stat64 *info, int flags) {
  return fstatat(folder, path, (struct stat *)info, flags);
}
off_t lseek(int file, off_t offset, int from) {
  return fails("seek") ? -1 : (off_t)syscall(SYS_lseek, file, offset, from);
}
off64_t lseek64(int file, off64_t offset, int from) {
  return lseek(file, offset, from);
}
int chmod(const char *path, mode_t mode) {
  return fails("chmod") ? -1 : (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}
int fchmod(int file, mode_t mode) {
  return fails("chmod") ? -1 : (int)syscall(SYS_fchmod, file, mode);
}

int dup(int file) { return fails("dup") ? -1 : (int)syscall(SYS_dup, file); }
int dup2(int file, int to) {
  REAL(int, "dup2", int, int);
  return fails("dup") ? -1 : real(file, to);
}
int pipe2(int files[2], int flags) {
  return fails("pipe") ? -1 : (int)syscall(SYS_pipe2, files, flags);
}
int pipe(int files[2]) { return pipe2(files, 0); }

pid_t fork(void) {
  REAL(pid_t, "fork", void);
  return fails("fork") ? -1 : real();
}
int posix_spawn(pid_t *child, const char *path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const variables[]) {
  REAL(int, "posix_spawn", pid_t *, const char *,
       const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
       char *const[], char *const[]);
  return fails("fork")
             ? code
             : real(child, path, actions, attributes, arguments, variables);
}
pid_t wait4(pid_t child, int *status, int options, struct rusage *usage) {
  REAL(pid_t, "wait4", pid_t, int *, int, struct rusage *);
  /* This call fails if children are ignored: they have ended by then. */
  int failed = fails("wait");
  pid_t result = real(child, status, options, usage);
  if (failed)
    errno = code;
  return failed ? -1 : result;
}
pid_t waitpid(pid_t child, int *status, int options) {
  return wait4(child, status, options, NULL);
}

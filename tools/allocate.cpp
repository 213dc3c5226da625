// Allocations of weir's tools end the process where there is no memory. LLVM,
// lld and protobuf are linked statically and do not all check: the linker
// redirects their calls of malloc and pthread_create to here (CMakeLists.txt).

#include "compiler/Limits.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

extern "C" {

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
int __real_posix_memalign(void **to, size_t align, size_t bytes);

static void *checked(void *memory, size_t bytes) {
  if (!memory && bytes)
    weir::outOfMemory();
  return memory;
}

void *__wrap_malloc(size_t bytes) {
  return checked(__real_malloc(bytes), bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  return checked(__real_calloc(count, bytes), count && bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  return checked(__real_realloc(memory, bytes), bytes);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  return checked(__real_aligned_alloc(align, bytes), bytes);
}

int __wrap_posix_memalign(void **to, size_t align, size_t bytes) {
  int status = __real_posix_memalign(to, align, bytes);
  if (status == ENOMEM)
    weir::outOfMemory();
  return status;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  size_t stack = 0;
  if (attributes)
    pthread_attr_getstacksize(attributes, &stack);
  weir::addStack(stack);
  return __real_pthread_create(thread, attributes, start, argument);
}

/// Runs before the constructors of all libraries, which allocate, too.
static void begin(int argc, char **argv, char **) {
  const char *name = argc > 0 ? argv[0] : "weir";
  if (const char *slash = std::strrchr(name, '/'))
    name = slash + 1;
  weir::endWhenExhausted(name);
}
__attribute__((section(".preinit_array"),
               used)) static void (*const early)(int, char **, char **) = begin;
}

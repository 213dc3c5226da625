// What an object may leave to the linker: libc and libm, by name.

#include "compiler/emit/Object.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace weir {

static const char *const libc[] = {"__errno_location",
                                   "aligned_alloc",
                                   "close",
                                   "dlerror",
                                   "dlopen",
                                   "dlsym",
                                   "free",
                                   "fsync",
                                   "getpid",
                                   "lseek",
                                   "madvise",
                                   "memcmp",
                                   "memcpy",
                                   "memmove",
                                   "memset",
                                   "mkdir",
                                   "mmap",
                                   "munmap",
                                   "open",
                                   "pread",
                                   "rename",
                                   "sched_getaffinity",
                                   "sched_getcpu",
                                   "sched_yield",
                                   "secure_getenv",
                                   "syscall",
                                   "unlink",
                                   "write"};

static const char *const threads[] = {
    "pthread_cond_destroy",  "pthread_cond_init",      "pthread_cond_signal",
    "pthread_cond_wait",     "pthread_create",         "pthread_join",
    "pthread_mutex_destroy", "pthread_mutex_init",     "pthread_mutex_lock",
    "pthread_mutex_unlock",  "pthread_setaffinity_np", "pthread_sigmask"};

// Each also with the endings f and l.
static const char *const libm[] = {
    "acos",   "acosh",     "asin",   "asinh",    "atan",      "atan2",
    "atanh",  "cbrt",      "ceil",   "copysign", "cos",       "cosh",
    "erf",    "erfc",      "exp",    "exp10",    "exp2",      "expm1",
    "fabs",   "fdim",      "floor",  "fma",      "fmax",      "fmin",
    "fmod",   "frexp",     "hypot",  "ilogb",    "ldexp",     "lgamma",
    "llrint", "llround",   "log",    "log10",    "log1p",     "log2",
    "logb",   "lrint",     "lround", "modf",     "nearbyint", "nextafter",
    "pow",    "remainder", "rint",   "round",    "roundeven", "sin",
    "sincos", "sinh",      "sqrt",   "tan",      "tanh",      "tgamma",
    "trunc"};

Error checkUndefined(ArrayRef<char> object, bool &needsMath) {
  auto file = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(StringRef(object.data(), object.size()), "model.o"));
  if (!file)
    return file.takeError();
  StringSet<> allowed, math;
  for (const char *name : libc)
    allowed.insert(name);
  for (const char *name : threads)
    allowed.insert(name);
  for (StringRef name : libm)
    for (StringRef ending : {"", "f", "l"})
      math.insert((name + ending).str());
  needsMath = false;
  std::string foreign;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if (!(*flags & object::SymbolRef::SF_Undefined) || name->empty() ||
        *name == "_GLOBAL_OFFSET_TABLE_")
      continue;
    needsMath |= math.contains(*name);
    if (!allowed.contains(*name) && !math.contains(*name))
      foreign += " " + name->str();
  }
  if (!foreign.empty())
    return createStringError("the code refers to what is neither in libc nor "
                             "in libm:" +
                             foreign);
  return Error::success();
}

} // namespace weir

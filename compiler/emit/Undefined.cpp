// What an object may leave to the linker: libc and libm, by name.

#include "compiler/emit/Emit.h"
#include "compiler/emit/Object.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace weir {

static const char *const libc[] = {"__errno_location",
                                   "aligned_alloc",
                                   "clock_gettime",
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

Error checkUndefined(ArrayRef<char> object, ArrayRef<std::string> custom,
                     bool &needsMath) {
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
  for (const std::string &name : custom)
    allowed.insert(name);
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

/// Adds the symbols that the file defines.
static Error addSymbols(StringRef path, StringSet<> &defined) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  MemoryBufferRef bytes = **buffer;
  if (identify_magic(bytes.getBuffer()) == file_magic::archive) {
    auto archive = object::Archive::create(bytes);
    if (!archive)
      return archive.takeError();
    for (const object::Archive::Symbol &symbol : (*archive)->symbols())
      defined.insert(symbol.getName());
    return Error::success();
  }
  auto file = object::ObjectFile::createELFObjectFile(bytes);
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if (*flags & object::SymbolRef::SF_Global &&
        !(*flags & object::SymbolRef::SF_Undefined))
      defined.insert(*name);
  }
  return Error::success();
}

std::string checkCustomObjects(const EmitOptions &options) {
  if (options.customObjects.empty())
    return "";
  StringSet<> defined;
  for (const std::string &path : options.customObjects)
    if (Error error = addSymbols(path, defined))
      return "--custom-object=" + path + ": " + toString(std::move(error));
  for (const std::string &symbol : options.customSymbols)
    if (!defined.contains(symbol))
      return "no --custom-object defines the function '" + symbol + "'";
  return "";
}

} // namespace weir

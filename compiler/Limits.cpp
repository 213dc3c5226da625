// How much memory a tool may use, and how it ends where the system has no more.

#include "compiler/Limits.h"

#include "compiler/Diagnostics.h"
#include "compiler/terminal/Progress.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace weir {

static const char *toolName = "weir";

/// The limit in force, 0 where there is none.
static uint64_t limit;

static std::atomic<bool> isDone;

void endWithSuccess() { isDone = true; }

/// Reports in one line and ends the process; allocates nothing. Of several
/// threads the first one does so.
[[noreturn]] static void endWith(Status status, const char *reason) {
  static std::atomic_flag ended = ATOMIC_FLAG_INIT;
  while (ended.test_and_set())
    ::pause();
  if (isDone) {
    llvm::sys::RunInterruptHandlers(); // the files that were replaced
    ::_exit(static_cast<int>(Status::ok));
  }
  endProgressLine();
  char text[512];
  int length =
      std::snprintf(text, sizeof text, "%s: error: %s\n", toolName, reason);
  length = std::min<int>(length, sizeof text - 1);
  if (::write(STDERR_FILENO, text, length) < 0) {
    // There is nobody left to tell.
  }
  llvm::sys::RunInterruptHandlers();
  ::_exit(static_cast<int>(status));
}

void outOfMemory() {
  char text[128] = "out of memory";
  if (limit)
    std::snprintf(text, sizeof text,
                  "out of memory: --max-memory is %llu bytes",
                  static_cast<unsigned long long>(limit));
  endWith(Status::limit, text);
}

/// LLVM ends the process for these, in words only. All else is an internal
/// error, which the caller's crash recovery handles.
static void onFatalError(void *, const char *reason, bool) {
  if (std::strncmp(reason, "pthread_", 8) == 0)
    endWith(Status::limit, reason);
  if (std::strncmp(reason, "IO failure", 10) == 0)
    endWith(Status::io, reason);
  llvm::errs() << "LLVM ERROR: " << reason << "\n";
}

void endWhenExhausted(const char *tool) {
  toolName = tool;
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { outOfMemory(); });
  llvm::install_fatal_error_handler(onFatalError);
}

void settleSignals() {
  llvm::sys::SetInterruptFunction(nullptr); // LLVM installs its handlers
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
}

namespace {

/// What the limit is made of.
struct Budget {
  bool isOn = false;
  std::optional<uint64_t> fixed;
  uint64_t inputs = 0;
  /// What the process has already, and the stacks of threads, little of which
  /// is touched.
  std::atomic<uint64_t> uncounted = 0;
  /// The limit that the process began with.
  struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY};
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> files;
};

} // namespace

static Budget &budget() {
  static Budget budget;
  return budget;
}

/// The private memory that the process may write, as the system counts it.
static uint64_t dataBytes() {
  char text[256] = "";
  int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : ::read(file, text, sizeof text - 1);
  if (file >= 0)
    ::close(file);
  text[std::max<ssize_t>(length, 0)] = 0;
  unsigned long long pages = 0;
  if (std::sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
    return 0;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

static void apply() {
  const Budget &b = budget();
  if (!b.isOn)
    return;
  constexpr uint64_t base = uint64_t(1) << 30, factor = 8;
  constexpr uint64_t most = uint64_t(1) << 60;
  uint64_t inputs = std::min(b.inputs, most / factor);
  limit = std::min(b.fixed.value_or(base + factor * inputs), most);
  struct rlimit data = b.before;
  data.rlim_cur = std::min<uint64_t>(limit + b.uncounted, data.rlim_cur);
  ::setrlimit(RLIMIT_DATA, &data);
}

void limitMemory(std::optional<uint64_t> bytes) {
  Budget &b = budget();
  b.isOn = true;
  b.fixed = bytes;
  ::getrlimit(RLIMIT_DATA, &b.before);
  b.uncounted = dataBytes();
  apply();
}

void addInput(uint64_t device, uint64_t number, uint64_t bytes) {
  Budget &b = budget();
  if (!b.files.insert({device, number}).second)
    return;
  b.inputs += std::min(bytes, UINT64_MAX - b.inputs);
  apply();
}

void addStack(uint64_t bytes) {
  budget().uncounted += bytes;
  apply();
}

} // namespace weir

// The trace of --time-trace: LLVM's profiler of the compiler itself.
#ifndef WEIR_COMPILER_REPORT_TIMETRACE_H
#define WEIR_COMPILER_REPORT_TIMETRACE_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace weir {

/// While it lives, the profiler records this thread, if `isOn`. LLVM keeps one
/// profiler a thread.
class TimeTrace {
public:
  explicit TimeTrace(bool isOn);
  ~TimeTrace();
  TimeTrace(const TimeTrace &) = delete;
  TimeTrace &operator=(const TimeTrace &) = delete;

  /// All events as JSON, in the format of Chrome's traces.
  std::string text() const;

private:
  bool isOn;
};

/// While it lives, the profiler records a thread of a pool, if `isOn`.
class ThreadTrace {
public:
  explicit ThreadTrace(bool isOn);
  ~ThreadTrace();
  ThreadTrace(const ThreadTrace &) = delete;
  ThreadTrace &operator=(const ThreadTrace &) = delete;

private:
  bool isOn;
};

/// Records each pass over each function, on all threads of the context.
std::unique_ptr<mlir::PassInstrumentation> tracePasses();

} // namespace weir

#endif // WEIR_COMPILER_REPORT_TIMETRACE_H

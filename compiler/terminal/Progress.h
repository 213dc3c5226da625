// The progress of a compilation, on stderr.

#ifndef WEIR_COMPILER_TERMINAL_PROGRESS_H
#define WEIR_COMPILER_TERMINAL_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/thread.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace weir {

struct ProgressOptions {
  /// A plain line for each stage, on a terminal or not.
  bool isVerbose = false;
  /// Seconds until a terminal shows the line; none: never.
  std::optional<double> after;
};

/// Knows the stage of a compilation and shows it. A terminal has one line,
///
///   weir: emit: kernel 12 of 40, 7 s
///
/// which a thread rewrites and which goes away before LLVM's streams for
/// stdout and stderr print anything. All functions may be called by any thread.
class Progress {
public:
  Progress();
  ~Progress();

  void start(const ProgressOptions &options);
  /// A stage begins; `variant` is the instruction set that it compiles for,
  /// where there are several.
  void enter(llvm::StringRef stage, llvm::StringRef variant = "");
  /// Empty before the first one.
  llvm::StringRef stage() const { return current; }
  /// The stage compiles so many kernels, of which none is done.
  void setKernels(unsigned count);
  /// Whether anybody sees how many are done.
  bool showsKernels() const { return thread.has_value(); }
  void addKernels(unsigned count = 1) { kernel += count; }
  /// Removes the line, for good. A verbose compilation that has succeeded
  /// prints a last line.
  void stop(bool hasSucceeded = false);

private:
  using Clock = std::chrono::steady_clock;
  class Eraser;

  void showLines();
  void draw();
  void printLine(llvm::StringRef text);
  double seconds() const;

  ProgressOptions options;
  Clock::time_point begin = Clock::now();
  llvm::StringRef current;
  std::string title, shown;
  std::atomic<unsigned> kernel = 0, kernels = 0;

  std::mutex mutex;
  std::condition_variable wake;
  bool isEnded = false;
  /// The line waits until then, so that it does not cut a message that is
  /// printed in several pieces.
  Clock::time_point quietUntil;
  std::unique_ptr<Eraser> eraser;
  std::optional<llvm::thread> thread;
};

/// Removes the line of the process's Progress, for good. Safe in a handler of a
/// signal and where no memory is left.
void endProgressLine();

} // namespace weir

#endif // WEIR_COMPILER_TERMINAL_PROGRESS_H

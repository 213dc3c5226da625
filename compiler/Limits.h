// How much memory a tool may use, and how it ends where the system has no more.

#ifndef WEIR_COMPILER_LIMITS_H
#define WEIR_COMPILER_LIMITS_H

#include <cstdint>
#include <optional>

namespace weir {

/// From now on the process ends with status 75 (limit) and one line where
/// memory or a thread cannot be had, and with 74 (io) where LLVM drops a stream
/// that failed. Temporary files are removed. `tool` stays valid.
void endWhenExhausted(const char *tool);

/// A write beyond the shell's limit of file sizes fails as one to a full disk
/// does: the signal that comes with it would end the process. LLVM catches it
/// for stack traces, from its first use of signals on. And children can be
/// waited for, though whoever started the process ignores its own.
void settleSignals();

/// What a failed allocation does: it reports and ends the process.
[[noreturn]] void outOfMemory();

/// All that was asked for is done: exhaustion is no failure any more.
void endWithSuccess();

/// Limits the memory that the process takes from now on: to so many bytes, or
/// to 1 GiB and 8 times the files of the model. Counted are the heap and the
/// pages that the process writes for itself; mapped files and the stacks of
/// threads are not.
void limitMemory(std::optional<uint64_t> bytes);

/// A file of the model, known by its device and number, has so many bytes.
void addInput(uint64_t device, uint64_t number, uint64_t bytes);

/// A thread with such a stack is about to begin.
void addStack(uint64_t bytes);

} // namespace weir

#endif // WEIR_COMPILER_LIMITS_H

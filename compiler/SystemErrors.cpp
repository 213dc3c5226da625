// What calls of the system failed with, and the statuses for it.

#include "compiler/SystemErrors.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

Status systemStatus(std::error_code code) {
  return code == std::errc::not_enough_memory ||
                 code == std::errc::resource_unavailable_try_again
             ? Status::limit
             : Status::io;
}

bool isAbsent(std::error_code code) {
  return code == std::errc::no_such_file_or_directory ||
         code == std::errc::not_a_directory;
}

std::error_code systemErrorIn(StringRef words) {
  // The kernel ends a process so where there is no memory.
  for (StringRef sign : {"out of memory", "memory exhausted", "Killed",
                         ": cannot create ", ": cannot allocate "})
    if (words.contains(sign))
      return std::make_error_code(std::errc::not_enough_memory);
  // The numbers of errors that a system has are below this.
  constexpr int maxErrors = 160;
  SmallVector<StringRef> lines;
  words.split(lines, '\n');
  for (int number = 1; number < maxErrors; ++number) {
    std::error_code code(number, std::generic_category());
    for (StringRef line : lines)
      if (line == code.message() || line.ends_with(": " + code.message()))
        return code;
  }
  return {};
}

} // namespace weir

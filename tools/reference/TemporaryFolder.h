// A folder for the files of one command.

#ifndef WEIR_TOOLS_REFERENCE_TEMPORARYFOLDER_H
#define WEIR_TOOLS_REFERENCE_TEMPORARYFOLDER_H

#include "compiler/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include <mutex>

namespace weir::reference {

/// A folder that is removed at the end, with its content. A signal that ends
/// the process also removes it. The end of memory removes the files that it
/// knows.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Creates it, in the system's folder for such files if `parent` is empty.
  Status create(llvm::StringRef parent = "");
  /// Creates a folder in it.
  Status createFolder(llvm::StringRef name);
  std::string pathOf(llvm::StringRef name) const;

  /// Knows a file from now on, which need not exist yet.
  void know(std::string file);
  void knowAllIn(llvm::StringRef folder);
  /// Removes a file that it knows.
  void remove(llvm::StringRef file);

  /// Lets signals wait until the lock ends.
  static std::unique_lock<std::mutex> holdSignals();
  /// A process that writes to such folders, or 0; a signal ends it first.
  /// Called while signals wait.
  static void setChild(int process);

private:
  llvm::StringSet<> files;
  llvm::SmallString<128> path;
};

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_TEMPORARYFOLDER_H

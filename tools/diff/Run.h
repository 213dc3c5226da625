// Compiles and runs libraries, in processes of their own.

#ifndef WEIR_TOOLS_DIFF_RUN_H
#define WEIR_TOOLS_DIFF_RUN_H

#include "tools/diff/Model.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"

namespace weir::diff {

/// A folder that is removed at the end. A signal and the end of memory remove
/// the files that it knows.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  Status create();
  /// Creates a folder in it.
  Status createFolder(llvm::StringRef name);
  std::string pathOf(llvm::StringRef name) const;

  /// Knows a file from now on, which need not exist yet.
  void know(std::string file);
  void knowAllIn(llvm::StringRef folder);
  /// Removes a file that it knows.
  void remove(llvm::StringRef file);

private:
  llvm::StringSet<> files;
  llvm::SmallString<128> path;
};

/// Compiles the model with all tensors kept, and with more options of
/// `weir compile`.
Status compileLibrary(const Options &options, llvm::StringRef flags,
                      const std::string &library);

/// Runs a library with the inputs of the comparison, and writes its outputs to
/// a folder.
Status runLibrary(const Model &model, const Options &options,
                  const std::string &library, const std::string &folder);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_RUN_H

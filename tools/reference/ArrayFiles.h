// Folders of .npy files that `weir reference` writes.

#ifndef WEIR_TOOLS_REFERENCE_ARRAYFILES_H
#define WEIR_TOOLS_REFERENCE_ARRAYFILES_H

#include "tools/reference/Array.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace weir::reference {

/// `FOLDER/NAME.npy`, with _ for / and : of the name.
std::string pathIn(llvm::StringRef folder, llvm::StringRef name);

/// Files that get their names together. Without that they leave no trace.
class ArrayFiles {
public:
  ArrayFiles() = default;
  ArrayFiles(const ArrayFiles &) = delete;
  ArrayFiles &operator=(const ArrayFiles &) = delete;
  ~ArrayFiles();

  /// Writes a file that has no name yet. Two must not have one path.
  Status write(const std::string &path, Array &array);
  /// Names all files, which are in this folder.
  Status place(llvm::StringRef folder);

private:
  std::vector<struct whole> files;
  llvm::StringSet<> paths;
};

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_ARRAYFILES_H

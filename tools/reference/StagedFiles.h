// Files that appear together when all are complete.

#ifndef WEIR_TOOLS_REFERENCE_STAGEDFILES_H
#define WEIR_TOOLS_REFERENCE_STAGEDFILES_H

#include "tools/reference/Array.h"
#include "tools/reference/TemporaryFolder.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace weir::reference {

/// Files that are in a temporary folder until all of them get their names. So
/// an error, and a signal that ends the process, leave no part of them.
class StagedFiles {
public:
  /// The temporary folder is in `parent`, which exists by the time of the first
  /// file and has the file system of all of them.
  explicit StagedFiles(std::string parent) : parent(std::move(parent)) {}

  /// Writes a file. Two must not have one path.
  Status write(const std::string &path, Array &array);
  Status write(const std::string &path, llvm::StringRef text);
  /// Names all files, and creates their folders.
  Status place();

private:
  /// Where the file is until then.
  Status stage(const std::string &path, std::string &temporary);

  std::string parent;
  TemporaryFolder folder;
  std::vector<std::string> paths;
  llvm::StringSet<> known;
};

/// Creates a folder and those around it, as far as they are absent.
Status createFolders(llvm::StringRef path);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_STAGEDFILES_H

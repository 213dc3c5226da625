// The names of files for tensors, by the rule of weir-run.

#ifndef WEIR_TOOLS_REFERENCE_FILENAMES_H
#define WEIR_TOOLS_REFERENCE_FILENAMES_H

#include "compiler/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace weir::reference {

/// The files of some tensors in one folder: `NAME.npy`, with _ for / and : of
/// the name. If two tensors would have one file, both have escaped names.
class FileNames {
public:
  /// A further tensor of the folder.
  void add(llvm::StringRef name);

  /// The path of a tensor that was added, or an error for a name that is too
  /// long.
  Status pathOf(llvm::StringRef folder, llvm::StringRef name,
                std::string &path) const;

private:
  /// How many tensors have each short name.
  llvm::StringMap<unsigned> counts;
};

/// The path in the folder; empty if the name is too long for a file.
std::string pathIn(llvm::StringRef folder, llvm::StringRef name, bool escapes);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_FILENAMES_H

// Files of a model, opened so that no name in it can lead elsewhere and no
// special file can block or never end.

#ifndef WEIR_COMPILER_IMPORT_FILE_H
#define WEIR_COMPILER_IMPORT_FILE_H

#include "compiler/import/Report.h"

namespace weir {

class File {
public:
  File() = default;
  File(File &&other) { *this = std::move(other); }
  File &operator=(File &&other);
  ~File();

  /// A regular file that the user named, or `-` for all of stdin.
  static mlir::FailureOr<File> open(Report &report, const std::string &path);
  static mlir::FailureOr<File> openDirectory(Report &report,
                                             const std::string &path);
  /// A regular file below this directory, by a name that the model holds:
  /// never outside of it, whatever the name and the links in the directory.
  mlir::FailureOr<File> openBelow(Report &report, llvm::StringRef name) const;
  /// Lets symbolic links in this directory lead to files below another one too,
  /// of which `folder` is the real path.
  void allowLinksTo(std::string folder) { linked = std::move(folder); }
  /// Whether the file has a name outside of these directories, below which
  /// `directory` opened it.
  bool isSharedOutside(const File &directory) const;
  /// Whether there is an entry of that name.
  bool has(llvm::StringRef name) const;

  /// Fills the buffer from `offset`; false where the file does not hold that.
  bool read(uint64_t offset, llvm::MutableArrayRef<char> buffer) const;

  int handle() const { return fd; }
  uint64_t size() const { return bytes; }
  static bool isDirectory(const std::string &path);

private:
  /// Stdin, read to its end into memory, as a model is read more than once.
  static mlir::FailureOr<File> openStdin(Report &report);

  int openLinked(llvm::StringRef name) const;

  int fd = -1;
  uint64_t bytes = 0;
  /// Of directories.
  std::string path, linked;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_FILE_H

// Output files that appear whole or not at all.
#ifndef WEIR_COMPILER_EMIT_OUTPUT_H
#define WEIR_COMPILER_EMIT_OUTPUT_H

#include "compiler/emit/Emit.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// A temporary file beside its final place. It is gone if it is not kept, and
/// at a signal that ends the process. LLVM's TempFile leaves its file behind
/// where close or rename fails.
class OutputFile {
public:
  static llvm::Expected<OutputFile> create(llvm::StringRef path);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// What is written at a time: a whole large page, so that the system may hold
  /// the file in such, of which those who read weights from it have fewer to
  /// translate.
  static constexpr size_t runBytes = 1 << 21;

  /// Fills the file; a write that fails is an IoError.
  llvm::Error
  write(llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> contents);
  const std::string &temporary() const { return name; }
  const std::string &path() const { return final; }

private:
  friend llvm::Error keepAll(std::vector<OutputFile> &files);

  OutputFile(llvm::StringRef path, llvm::StringRef name, int fd)
      : final(path), name(name), fd(fd) {}
  /// Brings it to the disk and closes it. Where either fails, what was written
  /// may be lost.
  llvm::Error finish();
  std::error_code close();
  /// Moves it to its final place; what was there has the temporary name then,
  /// where the file system can exchange two files.
  llvm::Error place();
  /// Undoes `place`.
  void replace();

  std::string final, name;
  int fd;
  enum { Temporary, Placed, Exchanged } state = Temporary;
};

/// Moves the files to their final places, in order: all of them, or none. They
/// are on the disk then, and so are their names.
llvm::Error keepAll(std::vector<OutputFile> &files);

/// Writes text to a file, which is added to `files`, or as far as it gets to
/// what is no file: "-" is stdout. What cannot be written is an IoError.
llvm::Error writeText(llvm::StringRef path, std::vector<OutputFile> &files,
                      llvm::function_ref<void(llvm::raw_ostream &)> contents);

} // namespace weir

#endif

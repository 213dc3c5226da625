// Output files that appear whole or not at all.
#ifndef WEIR_COMPILER_EMIT_OUTPUT_H
#define WEIR_COMPILER_EMIT_OUTPUT_H

#include "compiler/emit/Emit.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// A temporary file beside its final place. It is gone if it is not kept, and
/// at a signal that ends the process.
class OutputFile {
public:
  static llvm::Expected<OutputFile> create(llvm::StringRef path);
  OutputFile(OutputFile &&) = default;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// What is written at a time: a whole large page, so that the system may hold
  /// the file in such, of which those who read weights from it have fewer to
  /// translate.
  static constexpr size_t runBytes = 1 << 21;

  /// Fills the file; a write that fails is an IoError.
  llvm::Error
  write(llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> contents);
  /// Renames it to its final place.
  llvm::Error keep();
  const std::string &temporary() const { return file.TmpName; }
  const std::string &path() const { return final; }

private:
  OutputFile(std::string path, llvm::sys::fs::TempFile file)
      : final(std::move(path)), file(std::move(file)) {}
  std::string final;
  llvm::sys::fs::TempFile file;
  bool done = false;
};

/// Writes text whole to a file, or as far as it gets to what is no file: "-" is
/// stdout. What cannot be written is an IoError.
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> contents);

} // namespace weir

#endif

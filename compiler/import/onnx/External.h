// Constants that lie in files beside the model.

#ifndef WEIR_COMPILER_IMPORT_ONNX_EXTERNAL_H
#define WEIR_COMPILER_IMPORT_ONNX_EXTERNAL_H

#include "compiler/import/onnx/Tensors.h"

namespace weir::onnx {

/// The files beside a model that hold its large constants.
class ExternalData {
public:
  /// `path` is the model's own.
  explicit ExternalData(llvm::StringRef path);
  /// The bytes that the entries of a tensor name; `wanted` many.
  std::optional<std::string> read(Report &report,
                                  const ::onnx::TensorProto &proto,
                                  uint64_t wanted, Fault &fault);

private:
  /// A file of the model's directory; failure was reported or stands in
  /// `fault`.
  mlir::FailureOr<const File *> open(Report &report, llvm::StringRef location,
                                     Fault &fault);
  /// Whether the SHA1 of the whole file is the digest; files are read once.
  mlir::LogicalResult check(llvm::StringRef location, const File &file,
                            llvm::StringRef digest, Fault &fault);

  std::string directory;
  /// Where the model's own file is, if its name is a link to elsewhere.
  std::string linked;
  bool isStdin = false;
  std::optional<File> opened;
  llvm::StringMap<File> files;
  llvm::StringMap<std::string> digests;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_EXTERNAL_H

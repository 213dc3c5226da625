// ONNX's types and constants as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_ONNX_TENSORS_H
#define WEIR_COMPILER_IMPORT_ONNX_TENSORS_H

#include "compiler/import/Elements.h"
#include "compiler/import/File.h"
#include "compiler/import/Traced.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

#include <vector>

namespace weir::onnx {

/// Null where the dialect has no such element: strings, complex numbers, floats
/// of 8 bits, integers of 4.
mlir::Type elementType(mlir::MLIRContext *context, int dataType);
/// As ONNX writes it, in small letters: `float`, `int32`, `string`.
std::string dataTypeName(int dataType);
/// The other way round: ONNX's number of an element type of the dialect.
int dataTypeOf(mlir::Type element);

/// What a value_info says of a dimension.
struct Dim {
  /// ShapedType::kDynamic where it is open.
  int64_t size = mlir::ShapedType::kDynamic;
  /// The model's name of an open one; may be empty.
  std::string name;
};
/// Nothing where the rank is unknown. Negative dimensions fail.
mlir::FailureOr<std::optional<llvm::SmallVector<Dim>>>
dimsOf(const ::onnx::TypeProto::Tensor &proto);

/// A constant: its elements, or the strings that it is of. Of a narrow type
/// (narrow/Narrow.h) the elements are codes of ui8.
struct Constant {
  mlir::ElementsAttr value;
  std::shared_ptr<Strings> strings;
  int narrowType = 0;
};

/// Why a constant could not be read: the file is damaged, or asks for what weir
/// has not.
struct Fault {
  std::string why;
  Status status = Status::badInput;
};

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

/// Reads a constant in any of its encodings. Takes large contents out of the
/// message instead of copying them; `name` is for the resource.
std::optional<Constant> readTensor(Report &report, ::onnx::TensorProto &proto,
                                   llvm::StringRef name, ExternalData &external,
                                   Fault &fault);
/// The same for a tensor of which only the elements that are not 0 are stored.
std::optional<Constant> readSparse(Report &report,
                                   ::onnx::SparseTensorProto &proto,
                                   llvm::StringRef name, ExternalData &external,
                                   Fault &fault);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_TENSORS_H

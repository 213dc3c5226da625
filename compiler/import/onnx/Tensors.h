// ONNX's types and constants as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_ONNX_TENSORS_H
#define WEIR_COMPILER_IMPORT_ONNX_TENSORS_H

#include "compiler/import/Elements.h"
#include "compiler/import/File.h"
#include "compiler/import/Traced.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

#include <vector>

namespace weir::onnx {

class ExternalData;

/// What a value_info says of a dimension.
struct Dim {
  /// ShapedType::kDynamic where it is open.
  int64_t size = mlir::ShapedType::kDynamic;
  /// The model's name of an open one; may be empty.
  std::string name;
};

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

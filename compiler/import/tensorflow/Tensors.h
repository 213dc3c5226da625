// TensorFlow's types and constants as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H

#include "compiler/import/Elements.h"
#include "compiler/import/tensorflow/proto/tensor.pb.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>
#include <vector>

namespace weir::tensorflow {

/// Null where the dialect has no such element: strings, handles, complex.
/// References to a type are that type.
mlir::Type elementType(mlir::MLIRContext *context, int dataType);
/// The type of either part of a complex type; null for others.
mlir::Type complexPart(mlir::MLIRContext *context, int dataType);
/// As TensorFlow writes it: `float`, `int32`, `string`.
std::string dataTypeName(int dataType);

/// A shape with ShapedType::kDynamic for unknown dimensions; nothing where the
/// rank is unknown. Negative dimensions other than -1 fail.
mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
shapeOf(const ::tensorflow::TensorShapeProto &proto);

/// A constant: two attributes where it is complex, strings where it is those.
struct Constant {
  mlir::ElementsAttr value, imaginary;
  std::vector<std::string> strings;
  llvm::SmallVector<int64_t> shape;
};

/// Reads a constant in any of its encodings. Takes large contents out of the
/// message instead of copying them; `name` is for the resource. On failure,
/// `why` says what is wrong.
mlir::FailureOr<Constant> readTensor(mlir::MLIRContext *context,
                                     ::tensorflow::TensorProto &proto,
                                     llvm::StringRef name, std::string &why);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H

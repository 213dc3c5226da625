// TensorFlow's types and constants as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H

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

/// The number of bytes of a tensor; nothing where it is over the limit of
/// weir, each dimension counted also beside a zero.
std::optional<int64_t> byteSize(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes);

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

/// An attribute of raw little-endian bytes: a splat where they are, a resource
/// where they are many. The bytes of a resource are moved, not copied.
mlir::ElementsAttr rawElements(mlir::RankedTensorType type, std::string bytes,
                               llvm::StringRef name);

/// The elements of a constant, of a resource too.
std::optional<mlir::DenseElementsAttr> denseElements(mlir::Attribute value);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H

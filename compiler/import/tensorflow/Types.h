// TensorFlow's data types and shapes as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TYPES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TYPES_H

#include "compiler/import/tensorflow/Tensors.h"

namespace weir::tensorflow {

/// Null where the dialect has no such element: strings, handles, complex.
/// References to a type are that type.
mlir::Type elementType(mlir::MLIRContext *context, int dataType);
/// As TensorFlow writes it: `float`, `int32`, `string`.
std::string dataTypeName(int dataType);
/// A shape with ShapedType::kDynamic for unknown dimensions; nothing where the
/// rank is unknown. Negative dimensions other than -1 fail.
mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
shapeOf(const ::tensorflow::TensorShapeProto &proto);
/// The type of either part of a complex type; null for others.
mlir::Type complexPart(mlir::MLIRContext *context, int dataType);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TYPES_H

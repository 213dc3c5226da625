// ONNX's data types and shapes as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_ONNX_TYPES_H
#define WEIR_COMPILER_IMPORT_ONNX_TYPES_H

#include "compiler/import/onnx/Tensors.h"

namespace weir::onnx {

/// Null where the dialect has no such element: strings, complex numbers, floats
/// of 8 bits, integers of 4.
mlir::Type elementType(mlir::MLIRContext *context, int dataType);
/// As ONNX writes it, in small letters: `float`, `int32`, `string`.
std::string dataTypeName(int dataType);
/// The other way round: ONNX's number of an element type of the dialect.
int dataTypeOf(mlir::Type element);
/// Nothing where the rank is unknown. Negative dimensions fail.
mlir::FailureOr<std::optional<llvm::SmallVector<Dim>>>
dimsOf(const ::onnx::TypeProto::Tensor &proto);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_TYPES_H

// The operands of Range, for known sizes and for dynamic ones.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_RANGES_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_RANGES_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// Start, limit and step, scalars of one type.
mlir::FailureOr<llvm::SmallVector<Expr>> rangeOperands(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_RANGES_H

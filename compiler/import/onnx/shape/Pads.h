// What Pad reads of its node, for known sizes and for dynamic ones.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_PADS_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_PADS_H

#include "compiler/import/onnx/Operands.h"
#include "compiler/import/rules/Pads.h"

namespace weir::onnx {

/// The margins that the mode names; an error for another mode.
mlir::FailureOr<Edges> edgesOf(Node &node);
/// The value of the margins, a scalar of the operand's type.
mlir::FailureOr<Expr> padding(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_PADS_H

// Building blocks of control flow: conditions and branches.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

#include "compiler/import/bounded/Conditional.h"
#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

/// A condition of one element as a scalar Boolean.
mlir::FailureOr<mlir::Value> scalarBoolean(Node &node,
                                           mlir::ImplicitLocOpBuilder &b,
                                           const Traced &condition);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

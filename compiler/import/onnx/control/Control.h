// Building blocks of control flow: truth values, branches and what they give.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

#include "compiler/import/Branches.h"
#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

/// A condition of one element as a scalar truth value.
mlir::FailureOr<mlir::Value> truth(Node &node, mlir::ImplicitLocOpBuilder &b,
                                   const Traced &condition);
/// A graph.if whose regions are what both trace; what the side gives that is
/// taken, where the condition is known.
mlir::FailureOr<llvm::SmallVector<Traced>>
buildIf(Node &node, mlir::Value condition, Trace onTrue, Trace onFalse);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

// Building blocks of control flow: truth values, branches and what they give.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

/// A condition of one element as a scalar truth value.
mlir::FailureOr<mlir::Value> truth(Node &node, mlir::ImplicitLocOpBuilder &b,
                                   const Traced &condition);
/// The truth value where it is known.
std::optional<bool> knownTruth(mlir::Value condition);

/// Appends the tensors that a region must yield for the value; false where it
/// holds what no tensor can be, such as a string.
bool flatten(const Traced &traced, llvm::SmallVectorImpl<mlir::Value> &values);
/// A value like `like` made of the first of `values`, which it takes off.
Traced rebuild(const Traced &like, llvm::ArrayRef<mlir::Value> &values);

/// Traces something at the builder's place.
using Trace = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<Traced>>()>;

/// A graph.if whose regions are what both trace; what the side gives that is
/// taken, where the condition is known.
mlir::FailureOr<llvm::SmallVector<Traced>>
buildIf(Node &node, mlir::Value condition, Trace onTrue, Trace onFalse);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_CONTROL_H

// The ops between a tensor and the tensors that both sides have.

#ifndef WEIR_TOOLS_DIFF_SUBGRAPH_H
#define WEIR_TOOLS_DIFF_SUBGRAPH_H

#include "compiler/reference/Interpreter.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace weir::diff {

/// The part of a function that computes a value from known values: for a node
/// whose operands are known, the ops of the node.
struct Subgraph {
  mlir::Value result;
  /// In an order that they can run in.
  llvm::SetVector<mlir::Operation *> ops;
  /// Known values, and arguments of the function.
  llvm::SetVector<mlir::Value> inputs;
  /// Whether it can run alone: it reads no variable that a run assigns, and no
  /// argument of a loop's body.
  bool isClosed = true;
};

/// Cuts the function at the values that are known.
Subgraph subgraphOf(mlir::func::FuncOp function, mlir::Value value,
                    llvm::function_ref<bool(mlir::Value)> isKnown);

/// The subgraph, which is closed, as a program with the function `main`.
mlir::OwningOpRef<mlir::ModuleOp> programOf(const Subgraph &subgraph,
                                            mlir::ModuleOp module);

/// The result of a subgraph on a tensor for each input. Null if the reference
/// does not evaluate it.
reference::TensorRef
evaluateSubgraph(const Subgraph &subgraph, mlir::ModuleOp module,
                 llvm::ArrayRef<reference::TensorRef> inputs,
                 reference::Limits limits);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_SUBGRAPH_H

// Both sides of a conditional, and the graph.if of them.

#ifndef WEIR_COMPILER_IMPORT_BRANCHES_H
#define WEIR_COMPILER_IMPORT_BRANCHES_H

#include "compiler/import/TracedNode.h"

namespace weir {

/// Traces something at the builder's place.
using Trace = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<Traced>>()>;

/// A side in a region of its own, whose only block still wants a yield.
struct Branch {
  mlir::Region region;
  llvm::SmallVector<Traced> results;
  /// What is wrong with a side that does not fit its operands; empty where
  /// nothing is.
  std::string misfit = {};
};
struct Branches {
  Branch onTrue, onFalse;
  /// Whether one side, but not both, may be a misfit: else that is an error.
  bool mayMisfit = false;
};

/// Traces both sides. They give equally many results, all made of tensors; else
/// that is an error or a refusal at the node. One of them may be a misfit, and
/// has no results then.
mlir::LogicalResult traceBranches(TracedNode &node, Trace onTrue, Trace onFalse,
                                  Branches &branches);

/// Ends the side with its results.
void yieldResults(TracedNode &node, Branch &branch);

/// The graph.if of both sides, which yield the same types by now; gives its
/// results.
llvm::SmallVector<Traced> joinBranches(TracedNode &node, mlir::Value condition,
                                       Branches &branches);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BRANCHES_H

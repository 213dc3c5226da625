// The ops of family Collective.

#ifndef WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H
#define WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H

#include "dialects/graph/Graph.h"

#include "dialects/graph/collective/CollectiveEnums.h.inc"

namespace weir::graph {

/// What messages between roles have effects on.
struct MessageResource : mlir::SideEffects::Resource::Base<MessageResource> {
  llvm::StringRef getName() final { return "messages"; }
};
/// The axis of a mesh that divides the batch.
inline constexpr char dataAxis[] = "data";

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/collective/CollectiveOps.h.inc"

namespace weir::graph {

/// The all-reduces of the block on which no other collective of it depends:
/// gradients and results. So ranks may join them, and wait for them late. The
/// sums of a batch normalization are not among them.
llvm::SmallVector<AllReduceOp> finalReductions(mlir::Block &block);

/// Calls `visit` with the op of the same block that computes an operand of
/// `op`, or a value that its regions use, for each of these values.
void forEachMaker(mlir::Operation *op,
                  llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H

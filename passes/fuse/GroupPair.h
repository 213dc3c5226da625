// A group and an earlier one that computes one of its operands.

#ifndef WEIR_PASSES_FUSE_GROUPPAIR_H
#define WEIR_PASSES_FUSE_GROUPPAIR_H

#include "dialects/graph/Graph.h"

#include "llvm/ADT/SetVector.h"

namespace weir::fuse {

/// The pair can become one group with the results of both.
class GroupPair {
public:
  GroupPair(graph::GroupOp from, graph::GroupOp to) : from(from), to(to) {}

  /// Whether no op between the groups needs a result of the earlier one, and
  /// the later one uses it in its own shape. Views of results can move behind
  /// the later group, and with `movesGroups` other groups as well.
  bool canJoin(bool movesGroups = false);

  /// The inputs and results of the joined group, after `canJoin`.
  size_t streams() { return inputs.size() + to.getNumResults() + kept.size(); }

  graph::GroupOp join();

  graph::GroupOp from, to;

private:
  bool isOfFrom(mlir::Value value) const;
  bool isUsedFromHere(mlir::Value result);
  bool moveUsers(mlir::Operation *user);
  void findInputs();
  mlir::Value alike(mlir::Value value) const;
  llvm::SmallVector<mlir::Value>
  copy(mlir::OpBuilder &b, graph::GroupOp group,
       const llvm::DenseMap<mlir::Value, mlir::Value> &arguments);

  llvm::SetVector<mlir::Value> kept, inputs;  // results with other users
  llvm::SmallVector<mlir::Operation *> views; // views before the later group
  llvm::SetVector<mlir::Operation *> users;   // groups that move behind it
  bool movesGroups = false;
};

/// Joins pairs of groups below `root`, as long as `mayJoin` accepts one. The
/// earlier group of a pair defines `sourceOf` an input of the later one.
void joinGroups(mlir::Operation *root,
                llvm::function_ref<mlir::Value(mlir::Value)> sourceOf,
                llvm::function_ref<bool(GroupPair &)> mayJoin);

} // namespace weir::fuse

#endif // WEIR_PASSES_FUSE_GROUPPAIR_H

// Branches over what edges carry.

#include "compiler/import/tensorflow/control/Control.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Value> truth(Node &node, const Traced &condition) {
  if (!condition.value || condition.imaginary || condition.isBounded())
    return node.unsupported("a condition that is no tensor of numbers");
  RankedTensorType type = typeOf(condition.value);
  Type i1 = node.b.getI1Type();
  if (type.getRank() != 0)
    return splat(node.b, RankedTensorType::get({}, i1),
                 type.getNumElements() != 0);
  if (type.getElementType() == i1)
    return condition.value;
  return make<graph::NotEqualOp>(node.b, condition.value,
                                 splat(node.b, type, 0));
}

/// Brings a branch's results to the sizes that those of both have in common,
/// where there are such, and yields them.
static void yieldJoined(Node &node, Branch &branch,
                        ArrayRef<std::optional<SmallVector<Room>>> joined) {
  ImplicitLocOpBuilder b(node.b.getLoc(), node.b.getContext());
  b.setInsertionPointToEnd(&branch.region.back());
  for (auto [result, rooms] : llvm::zip_equal(branch.results, joined))
    if (rooms)
      result = fitTo(b, node, result, *rooms);
  yieldResults(node, branch);
}

FailureOr<SmallVector<Traced>> buildIf(Node &node, Value condition,
                                       Trace onTrue, Trace onFalse) {
  if (std::optional<bool> known = knownTruth(condition))
    return *known ? onTrue() : onFalse();
  Branches branches;
  if (failed(traceBranches(node, onTrue, onFalse, branches)))
    return failure();
  SmallVector<std::optional<SmallVector<Room>>> joined;
  for (auto [i, a, b] :
       llvm::enumerate(branches.onTrue.results, branches.onFalse.results)) {
    SmallVector<Value> left, right;
    flatten(a, left);
    flatten(b, right);
    joined.emplace_back();
    if (TypeRange(left) == TypeRange(right) && !a.isBounded() && !b.isBounded())
      continue;
    joined.back() = joinSizes(a, b);
    if (joined.back())
      continue;
    bool sameElements =
        left.size() == 1 && right.size() == 1 &&
        typeOf(left[0]).getElementType() == typeOf(right[0]).getElementType();
    if (!sameElements)
      return node.error() << "its branches give different types for result "
                          << i << ": (" << TypeRange(left) << ") and ("
                          << TypeRange(right) << ")";
    return node.unsupported("result " + Twine(i) +
                            " has a rank that depends on which branch runs");
  }
  yieldJoined(node, branches.onTrue, joined);
  yieldJoined(node, branches.onFalse, joined);
  return joinBranches(node, condition, branches);
}

} // namespace weir::tensorflow

// Branches, and the sizes that their results have in common.

#include "compiler/import/bounded/Conditional.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

/// Brings a branch's results to the sizes that those of both have in common,
/// where there are such, and yields them.
static void yieldJoined(TracedNode &node, Branch &branch,
                        ArrayRef<std::optional<SmallVector<Room>>> joined) {
  ImplicitLocOpBuilder b(node.b.getLoc(), node.b.getContext());
  b.setInsertionPointToEnd(&branch.region.back());
  for (auto [result, rooms] : llvm::zip_equal(branch.results, joined))
    if (rooms)
      result = fitTo(b, node, result, *rooms);
  yieldResults(node, branch);
}

/// The results of the side that fits, of which a check sees to it that it is
/// taken. Its ops need no branch: without it the run fails.
static SmallVector<Traced> buildFitting(TracedNode &node, Value condition,
                                        Branches &branches) {
  bool isTrue = branches.onTrue.misfit.empty();
  Branch &fit = isTrue ? branches.onTrue : branches.onFalse;
  const Branch &misfit = isTrue ? branches.onFalse : branches.onTrue;
  OpBuilder &builder = node.tracing.builder;
  ImplicitLocOpBuilder b(node.b.getLoc(), builder);
  Expr holds(b, condition);
  require(node, isTrue ? holds : apply<graph::LogicalNotOp>(holds),
          Twine("its ") + (isTrue ? "else" : "then") +
              " branch does not fit: " + misfit.misfit);
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), fit.region.back().getOperations());
  return fit.results;
}

FailureOr<SmallVector<Traced>> buildIf(TracedNode &node, Value condition,
                                       Trace onTrue, Trace onFalse) {
  if (std::optional<bool> known = knownBoolean(condition))
    return *known ? onTrue() : onFalse();
  if (std::optional<bool> known = booleanOf(condition))
    return *known ? onTrue() : onFalse();
  Branches branches;
  branches.mayMisfit = true;
  if (failed(traceBranches(node, onTrue, onFalse, branches)))
    return failure();
  if (!branches.onTrue.misfit.empty() || !branches.onFalse.misfit.empty())
    return buildFitting(node, condition, branches);
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

} // namespace weir

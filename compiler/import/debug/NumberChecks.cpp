// Checks that a node makes no NaN and no infinity from finite numbers.

#include "compiler/import/debug/NumberChecks.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/TracedNode.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/build/ElementCheck.h"

using namespace mlir;

namespace weir {
namespace {

bool holdsFloats(const Traced &traced) {
  if (!traced.value || traced.imaginary)
    return false;
  RankedTensorType type = typeOf(traced.value);
  return isa<FloatType>(type.getElementType()) && type.getNumElements() > 0;
}

/// Whether each element is finite; true beyond the actual sizes.
Expr finiteElements(ImplicitLocOpBuilder &b, const Traced &traced) {
  Value finite = make<graph::IsFiniteOp>(b, traced.value);
  return masked(b, {finite, {}, nullptr, traced.extents}, 1);
}

/// Whether the result only holds elements of operands, or is checked inside of
/// the node.
bool isMoved(const TracedNode &node, Value result) {
  for (unsigned i = 0; i < node.size(); ++i)
    if (node.operand(i) == result)
      return true;
  Operation *op = result.getDefiningOp();
  if (!op || isa<graph::ReshapeOp, graph::IfOp, graph::WhileOp>(op))
    return true;
  auto role = dyn_cast<graph::FusionOpInterface>(op);
  return role && role.fusionRole() == graph::FusionRole::injective;
}

/// The elements of a tensor with the sizes of `like`, without gaps.
Expr dense(ImplicitLocOpBuilder &b, Value value, const Traced &like) {
  return {b, compact(b, {value, {}, nullptr, like.extents})};
}

} // namespace

void checkNumbers(TracedNode &node, StringRef name,
                  ArrayRef<NodeResult> results) {
  ImplicitLocOpBuilder &b = node.b;
  Expr fine;
  for (unsigned i = 0; i < node.size(); ++i) {
    const Traced &operand = node.traced(i);
    if (!holdsFloats(operand))
      continue;
    Expr one = allOf(finiteElements(b, operand));
    fine = fine ? apply<graph::LogicalAndOp>(fine, one) : one;
  }
  if (!fine)
    return;
  for (const NodeResult &result : results) {
    const Traced &traced = *result.traced;
    if (!holdsFloats(traced) || isMoved(node, traced.value))
      continue;
    Expr finite = finiteElements(b, traced);
    Expr holds = apply<graph::LogicalOrOp>(allOf(finite),
                                           apply<graph::LogicalNotOp>(fine));
    if (knownBoolean(holds.value) == true)
      continue;
    checkElements(b, holds, dense(b, traced.value, traced),
                  dense(b, finite.value, traced),
                  "node '" + escaped(name) + "' (" + escaped(node.op(), 60) +
                      "): its operands are finite, and its result '" +
                      escaped(result.tensor) + "' is not");
  }
}

} // namespace weir

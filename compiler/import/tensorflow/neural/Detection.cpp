// Non-maximum suppression, where its results have a size known beforehand.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

LogicalResult unsized(Node &node) {
  return node.unsupported("a result with as many elements as boxes are taken; "
                          "NonMaxSuppressionV4 or V5 with "
                          "pad_to_max_output_size has a known size");
}

/// Operands: boxes, scores, how many at most, the overlap, the lowest score,
/// and in version 5 the softness.
LogicalResult suppress(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  bool soft = node.op() == "NonMaxSuppressionV5";
  if (!node.boolAttr("pad_to_max_output_size"))
    return unsized(node);
  auto limit = node.integer(2);
  if (failed(limit))
    return failure();
  Expr operands[5];
  unsigned places[] = {0, 1, 3, 4, 5};
  for (unsigned i = 0; i < (soft ? 5 : 4); ++i) {
    Expr x = operand(node, places[i]);
    if (!x || !isa<FloatType>(x.elementType()))
      return give(node, Expr());
    operands[i] = cast(x, b.getF32Type());
  }
  if (!soft)
    operands[4] = operands[3].like(0);
  Expr boxes = operands[0], scores = operands[1];
  if (boxes.rank() != 2 || boxes.size(1) != 4 || scores.rank() != 1 ||
      scores.size(0) != boxes.size(0) || *limit < 0 || *limit > (1 << 24) ||
      operands[2].rank() || operands[3].rank() || operands[4].rank())
    return give(node, Expr());
  auto op =
      b.create<graph::SuppressOp>(boxes.value, scores.value, operands[2].value,
                                  operands[3].value, operands[4].value, *limit);
  Expr indices(b, op.getIndices()), taken(b, op.getScores()),
      count(b, op.getCount());
  if (!soft)
    return give(node, {indices, count});
  return give(node,
              {indices, cast(taken, node.type(1).getElementType()), count});
}

} // namespace

void weir::tensorflow::addDetectionHandlers(Handlers &handlers) {
  for (const char *name : {"NonMaxSuppressionV4", "NonMaxSuppressionV5"})
    handlers[name] = suppress;
  for (const char *name :
       {"NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3"})
    handlers[name] = unsized;
}

// Ops that repeat, pad and reverse, where sizes are known only at run time:
// each dimension by the index that an element comes from.

#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Pads.h"
#include "compiler/import/rules/Repeats.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importReverse(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto dims = node.integers(1);
  if (failed(dims))
    return failure();
  Traced result = node.traced(0);
  Sizes sizes = sizesOf(result);
  for (int64_t dim : *dims) {
    dim = dim < 0 ? dim + node.rank(0) : dim;
    if (dim < 0 || dim >= node.rank(0))
      return node.error() << "cannot reverse dimensions [" << *dims << "] of "
                          << node.type(0);
    Expr last = exactly(b, sizes[dim]) - 1.0;
    result =
        takeAlong(b, result, dim, last - iota(b, sizes[dim].bound), sizes[dim]);
  }
  return node.tracedResults({result});
}

LogicalResult importReverseSequence(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Sizes sizes = sizesOf(node.traced(0)), counts = sizesOf(node.traced(1));
  int64_t along = node.intAttr("seq_dim"), batch = node.intAttr("batch_dim");
  if (along < 0 || along >= node.rank(0) || batch < 0 ||
      batch >= node.rank(0) || counts.size() != 1)
    return node.error() << "cannot reverse dimension " << along << " of "
                        << node.type(0) << " by " << node.type(1);
  auto common = agreedSize(node, sizes[batch], counts[0], "rows and lengths");
  if (failed(common))
    return failure();
  // Nothing is reversed in rows that do not count.
  Expr lengths = masked(node.b, node.traced(1), 0);
  require(node,
          apply<graph::LessEqualOp>(cast(lengths, node.b.getI64Type()),
                                    exactly(node.b, sizes[along])),
          "a row is shorter than what is to be reversed of it");
  SmallVector<int64_t> bounds = boundsOf(sizes);
  bounds[batch] = common->bound;
  sizes[batch] = *common;
  if (failed(runOnPaddedBuffers(
          node, {paddedTo(node.b, node.operand(0), bounds),
                 paddedTo(node.b, lengths.value, common->bound)})))
    return failure();
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedMoveHandlers(BoundedHandlers &handlers) {
  handlers["ReverseV2"] = importReverse;
  handlers["ReverseSequence"] = importReverseSequence;
}

} // namespace weir::tensorflow

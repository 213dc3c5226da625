// Derivatives of ops that choose or order elements at run time.

#include "dialects/graph/gradients/Scatter.h"

#include "dialects/graph/Elementwise.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

template <>
void weir::graph::rule<DynamicSliceOp>(DynamicSliceOp op,
                                       Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  gradients.give(0, Expr(gradients.b, make<DynamicUpdateSliceOp>(
                                          gradients.b, filledLike(x, 0).value,
                                          g.value, op.getStarts())));
}

template <>
void weir::graph::rule<DynamicUpdateSliceOp>(DynamicUpdateSliceOp op,
                                             Gradients &gradients) {
  Expr g = gradients.of(0), update = gradients.operand(1);
  if (gradients.wants(0))
    gradients.give(
        0, Expr(gradients.b, make<DynamicUpdateSliceOp>(
                                 gradients.b, g.value,
                                 filledLike(update, 0).value, op.getStarts())));
  if (gradients.wants(1))
    gradients.give(1, Expr(gradients.b, make<DynamicSliceOp>(
                                            gradients.b, g.value,
                                            op.getStarts(), update.shape())));
}

// What lies beyond the sizes has no part in the result.
template <>
void weir::graph::rule<CompactOp>(CompactOp op, Gradients &gradients) {
  SmallVector<int64_t> shape(op.getX().getType().getShape());
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (!permutation.empty())
    applyPermutationToVector(shape, permutation);
  gradients.give(
      0, Expr(gradients.b,
              make<SpreadOp>(gradients.b, gradients.of(0).value, op.getSizes(),
                             op.getDims(), shape, /*zeros=*/true,
                             invertPermutationVector(permutation))));
}

template <>
void weir::graph::rule<SpreadOp>(SpreadOp op, Gradients &gradients) {
  gradients.give(
      0, Expr(gradients.b,
              make<CompactOp>(gradients.b, gradients.of(0).value, op.getSizes(),
                              op.getDims(), /*zeros=*/true,
                              invertPermutationVector(op.getPermutation()))));
}

template <>
void weir::graph::rule<FillBeyondOp>(FillBeyondOp op, Gradients &gradients) {
  Expr g = gradients.of(0);
  auto dim = static_cast<int64_t>(op.getDim());
  Expr within(gradients.b,
              make<FillBeyondOp>(gradients.b, g.value, op.getSize(),
                                 g.like(0).value, op.getDim(),
                                 static_cast<uint64_t>(g.size(dim))));
  gradients.give(0, within);
  if (gradients.wants(2))
    gradients.give(
        2, sum(g - within, llvm::to_vector(llvm::seq<int64_t>(0, g.rank()))));
}

template <>
void weir::graph::rule<OneHotOp>(OneHotOp op, Gradients &gradients) {
  Expr g = gradients.of(0), indices = gradients.operand(0);
  ImplicitLocOpBuilder &b = gradients.b;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, g.rank()));
  Expr hot(b, make<OneHotOp>(b, indices.value, g.like(1).value, g.like(0).value,
                             op.getDepth(), op.getAxis()));
  Expr on = sum(g * hot, all);
  if (gradients.wants(1))
    gradients.give(1, on);
  if (gradients.wants(2))
    gradients.give(2, sum(g, all) - on);
}

// Sorting the places where the elements came from takes them back there.
template <>
void weir::graph::rule<SortOp>(SortOp op, Gradients &gradients) {
  ImplicitLocOpBuilder &b = gradients.b;
  Expr keys = gradients.operand(0);
  Expr positions = iota(b, b.getI32Type(), keys.shape(), keys.rank() - 1);
  Value from = b.create<SortOp>(ValueRange{keys.value, positions.value},
                                op.getDescending())
                   .getResult(1);
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    if (gradients.wants(i) && gradients.has(i))
      gradients.give(
          i, Expr(b, b.create<SortOp>(ValueRange{from, gradients.of(i).value},
                                      false)
                         .getResult(1)));
}

template <>
void weir::graph::rule<TopKOp>(TopKOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  if (g.type().getNumElements() == 0)
    return;
  SmallVector<int64_t> vectors(g.shape());
  vectors.push_back(1);
  Expr positions =
      withBatch(reshape(gradients.result(1), vectors), x.rank() - 1);
  gradients.give(0, scatter(filledLike(x, 0), positions, g, Combiner::update));
}

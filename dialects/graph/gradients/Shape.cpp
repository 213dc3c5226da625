// Derivatives of ops that move elements: the elements move back.

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Shape.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

template <>
void weir::graph::rule<ReshapeOp>(ReshapeOp op, Gradients &gradients) {
  gradients.give(0, reshape(gradients.of(0), op.getX().getType().getShape()));
}

template <>
void weir::graph::rule<TransposeOp>(TransposeOp op, Gradients &gradients) {
  SmallVector<int64_t> inverse(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    inverse[dim] = i;
  gradients.give(0, transpose(gradients.of(0), inverse));
}

template <>
void weir::graph::rule<BroadcastOp>(BroadcastOp op, Gradients &gradients) {
  Expr g = gradients.of(0);
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  SmallVector<int64_t> repeated;
  auto source = op.getDims();
  for (int64_t d = 0; d < g.rank(); ++d) {
    auto *at = llvm::find(source, d);
    if (at == source.end() || shape[at - source.begin()] != g.size(d))
      repeated.push_back(d);
  }
  if (!repeated.empty())
    g = sum(g, repeated);
  gradients.give(0, reshape(g, shape));
}

template <>
void weir::graph::rule<SliceOp>(SliceOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  if (g.type().getNumElements() == 0)
    return;
  SmallVector<int64_t> low, high, interior;
  for (int64_t d = 0; d < g.rank(); ++d) {
    low.push_back(op.getStarts()[d]);
    interior.push_back(g.size(d) > 1 ? op.getStrides()[d] - 1 : 0);
    int64_t last = op.getStarts()[d] + (g.size(d) - 1) * (interior.back() + 1);
    high.push_back(x.size(d) - last - 1);
  }
  gradients.give(0, pad(g, low, high, interior));
}

template <>
void weir::graph::rule<PadOp>(PadOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0), inside;
  if (x.type().getNumElements() != 0) {
    SmallVector<int64_t> limits, strides;
    for (int64_t d = 0; d < x.rank(); ++d) {
      strides.push_back(op.getInterior()[d] + 1);
      limits.push_back(op.getLow()[d] + (x.size(d) - 1) * strides.back() + 1);
    }
    inside = Expr(gradients.b, make<SliceOp>(gradients.b, g.value, op.getLow(),
                                             limits, strides));
  }
  if (gradients.wants(0) && inside)
    gradients.give(0, inside);
  if (!gradients.wants(1))
    return;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Expr margin = sum(g, all);
  gradients.give(1, inside ? margin - sum(inside, all) : margin);
}

template <>
void weir::graph::rule<ConcatOp>(ConcatOp op, Gradients &gradients) {
  Expr g = gradients.of(0);
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t start = 0;
  for (unsigned i = 0; i < op.getNumOperands(); ++i) {
    int64_t size = gradients.operand(i).size(axis);
    if (gradients.wants(i))
      gradients.give(i, slice(g, axis, start, size));
    start += size;
  }
}

template <>
void weir::graph::rule<ReverseOp>(ReverseOp op, Gradients &gradients) {
  gradients.give(0, reverse(gradients.of(0), op.getDims()));
}

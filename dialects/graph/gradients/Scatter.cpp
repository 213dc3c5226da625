// Index vectors, and the derivatives of ops that read or write by them.

#include "dialects/graph/gradients/Scatter.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

namespace weir::graph {

Expr scatter(Expr x, Expr indices, Expr updates, Combiner combiner) {
  return Expr(*x.b, make<ScatterOp>(*x.b, x.value, indices.value, updates.value,
                                    combiner));
}

Expr gatherVectors(Expr x, Expr indices) {
  return Expr(*x.b, make<GatherNdOp>(*x.b, x.value, indices.value,
                                     /*batch_dims=*/0));
}

Expr withBatch(Expr indices, int64_t batchDims) {
  SmallVector<Expr> parts;
  SmallVector<int64_t> shape(indices.shape());
  shape.back() = 1;
  for (int64_t d = 0; d < batchDims; ++d)
    parts.push_back(iota(*indices.b, indices.elementType(), shape, d));
  parts.push_back(indices);
  return concat(parts, indices.rank() - 1);
}

static Expr sizesOf(Expr indices, ArrayRef<int64_t> sizes, int64_t less) {
  SmallVector<double> numbers;
  for (int64_t size : sizes)
    numbers.push_back(static_cast<double>(size - less));
  return constant(*indices.b, indices.elementType(),
                  static_cast<int64_t>(sizes.size()), numbers);
}

Expr limited(Expr indices, ArrayRef<int64_t> sizes) {
  return minimum(maximum(indices, indices.like(0)), sizesOf(indices, sizes, 1));
}

Expr within(Expr indices, ArrayRef<int64_t> sizes) {
  Expr inside =
      apply<LogicalAndOp>(apply<GreaterEqualOp>(indices, indices.like(0)),
                          apply<LessOp>(indices, sizesOf(indices, sizes, 0)));
  return Expr(*indices.b,
              make<ReduceAndOp>(*indices.b, inside.value,
                                ArrayRef<int64_t>{indices.rank() - 1}));
}

Expr rowsTo(Expr x, Expr permutation) {
  SmallVector<int64_t> shape(permutation.shape());
  shape.push_back(1);
  Expr vectors = withBatch(reshape(permutation, shape), x.rank() - 2);
  return scatter(filledLike(x, 0), vectors, x, Combiner::update);
}

} // namespace weir::graph

template <>
void weir::graph::rule<GatherOp>(GatherOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0),
       indices = gradients.operand(1);
  if (g.type().getNumElements() == 0)
    return;
  auto axis = static_cast<int64_t>(op.getAxis()),
       batch = static_cast<int64_t>(op.getBatchDims());
  // B, before, indices, behind -> B, indices, before, behind
  int64_t chosen = indices.rank() - batch;
  SmallVector<int64_t> order, positions, back;
  auto add = [](SmallVector<int64_t> &to, int64_t from, int64_t until) {
    llvm::append_range(to, llvm::seq<int64_t>(from, until));
  };
  add(order, 0, batch);
  add(order, axis, axis + chosen);
  add(order, batch, axis);
  add(order, axis + chosen, g.rank());
  // B, before, axis, behind -> B, axis, before, behind
  add(positions, 0, batch);
  positions.push_back(axis);
  add(positions, batch, axis);
  add(positions, axis + 1, x.rank());
  back.resize(positions.size());
  SmallVector<int64_t> shape;
  for (auto [i, d] : llvm::enumerate(positions)) {
    back[d] = i;
    shape.push_back(x.size(d));
  }
  SmallVector<int64_t> vectors(indices.shape());
  vectors.push_back(1);
  indices = withBatch(limited(reshape(indices, vectors), x.size(axis)), batch);
  Expr zeros(gradients.b, splat(gradients.b, x.type().clone(shape), 0));
  Expr sums = scatter(zeros, indices, transpose(g, order), Combiner::add);
  gradients.give(0, transpose(sums, back));
}

template <>
void weir::graph::rule<GatherNdOp>(GatherNdOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0),
       indices = gradients.operand(1);
  if (g.type().getNumElements() == 0)
    return;
  auto batch = static_cast<int64_t>(op.getBatchDims());
  auto sizes = x.shape().slice(batch, indices.shape().back());
  gradients.give(0, scatter(filledLike(x, 0),
                            withBatch(limited(indices, sizes), batch), g,
                            Combiner::add));
}

namespace {

/// What the rules of the combiners share.
struct ScatterRule {
  Expr g, r, x, indices, updates, inside;

  ScatterRule(Gradients &gradients)
      : g(gradients.of(0)), r(gradients.result(0)), x(gradients.operand(0)),
        indices(gradients.operand(1)), updates(gradients.operand(2)) {
    inside = within(indices, x.shape().take_front(indices.shape().back()));
    SmallVector<int64_t> shape(inside.shape());
    shape.resize(updates.rank(), 1);
    inside = reshape(inside, shape);
  }

  /// The elements that each update meets; zeros for those that are dropped.
  Expr at(Expr y) const {
    return select(inside, gatherVectors(y, indices), y.like(0));
  }
  Expr put(Expr y, Expr values, Combiner combiner) const {
    return scatter(y, indices, values, combiner);
  }
};

} // namespace

/// The factor of an element is the product of all others that meet it; of
/// several zeros, none counts.
static void productGradients(const ScatterRule &rule, Gradients &gradients) {
  Expr zero = rule.x.like(0), one = rule.x.like(1);
  auto isZero = [&](Expr y) { return apply<EqualOp>(y, zero); };
  Expr zeroX = isZero(rule.x), zeroUpdate = isZero(rule.updates);
  Expr zeros = rule.put(cast(zeroX, rule.x.elementType()),
                        cast(zeroUpdate, rule.x.elementType()), Combiner::add);
  Expr others = rule.put(select(zeroX, one, rule.x),
                         select(zeroUpdate, one, rule.updates), Combiner::mul);
  // A single zero is left out of the product of all others only by itself.
  Expr g = select(apply<GreaterOp>(zeros, one), zero, rule.g);
  if (gradients.wants(0))
    gradients.give(0, g * select(zeroX, others, rule.r / rule.x));
  if (gradients.wants(2))
    gradients.give(2, rule.at(g) * select(zeroUpdate, rule.at(others),
                                          rule.at(rule.r) / rule.updates));
}

/// The gradient is shared out evenly among all that equal the result.
static void extremeGradients(const ScatterRule &rule, Gradients &gradients) {
  Type element = rule.x.elementType();
  Expr keeps = cast(apply<EqualOp>(rule.x, rule.r), element);
  Expr wins = cast(apply<EqualOp>(rule.updates, rule.at(rule.r)), element);
  Expr share =
      rule.g / maximum(rule.put(keeps, wins, Combiner::add), rule.x.like(1));
  if (gradients.wants(0))
    gradients.give(0, share * keeps);
  if (gradients.wants(2))
    gradients.give(2, rule.at(share) * wins);
}

template <>
void weir::graph::rule<ScatterOp>(ScatterOp op, Gradients &gradients) {
  ScatterRule rule(gradients);
  if (rule.updates.type().getNumElements() == 0)
    return gradients.give(0, rule.g);
  Expr zeros = filledLike(rule.updates, 0);
  switch (op.getCombiner()) {
  case Combiner::update:
    // Of several updates of one element, the last counts; all get its gradient,
    // as in TensorFlow.
    if (gradients.wants(0))
      gradients.give(0, rule.put(rule.g, zeros, Combiner::update));
    if (gradients.wants(2))
      gradients.give(2, rule.at(rule.g));
    return;
  case Combiner::add:
  case Combiner::sub:
    if (gradients.wants(0))
      gradients.give(0, rule.g);
    if (gradients.wants(2))
      gradients.give(2, op.getCombiner() == Combiner::add ? rule.at(rule.g)
                                                          : -rule.at(rule.g));
    return;
  case Combiner::mul:
    return productGradients(rule, gradients);
  case Combiner::min:
  case Combiner::max:
    return extremeGradients(rule, gradients);
  }
}

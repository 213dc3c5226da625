// Connectionist temporal classification (Graves et al., 2006): labels of
// sequences in which every step names a class or, by the blank, none.

#include "compiler/import/tensorflow/sparse/Sparse.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

Expr both(Expr x, Expr y) { return apply<graph::LogicalAndOp>(x, y); }

/// The greatest class of each step, without blanks and, where so asked, without
/// those that repeat the step before. Operands: logits [steps, sequences,
/// classes] and the sequences' lengths.
LogicalResult importGreedy(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr logits = operand(node, 0), lengths = operand(node, 1);
  if (logits.rank() != 3 || !isa<FloatType>(logits.elementType()) ||
      lengths.rank() != 1 || lengths.size(0) != logits.size(1) ||
      !lengths.elementType().isInteger(32) || logits.size(2) == 0)
    return node.error() << "does not decode " << logits.type() << " of lengths "
                        << lengths.type();
  int64_t steps = logits.size(0), count = logits.size(1),
          classes = logits.size(2);
  int64_t blank = node.intAttr("blank_index", -1);
  blank = blank < 0 ? blank + classes : blank;
  if (blank < 0 || blank >= classes)
    return node.error() << "blank class " << blank << " is none of " << classes;
  Expr most = lengths.like(static_cast<double>(steps));
  if (failed(check(node, apply<graph::LessEqualOp>(lengths, most),
                   "a sequence is longer than its " + Twine(steps) + " steps")))
    return failure();
  // From here on [sequences, steps].
  logits = transpose(logits, {1, 0, 2});
  auto type = RankedTensorType::get({count, steps}, b.getI64Type());
  Expr best(
      b, make<graph::ArgMaxOp>(b, type, logits.value, b.getI64IntegerAttr(2)));
  Expr greatest(
      b, make<graph::ReduceMaxOp>(b, logits.value, ArrayRef<int64_t>{2}));
  Expr inside = apply<graph::LessOp>(
      cast(reshape(iota(b, steps), {1, steps}), b.getI32Type()),
      reshape(lengths, {count, 1}));
  Expr keeps = both(inside, apply<graph::NotEqualOp>(best, number(b, blank)));
  if (node.boolAttr("merge_repeated") && steps > 1) {
    // No class is -1.
    Expr before = concat({filled(node, {count, 1}, b.getI64Type(), -1),
                          slice(best, 1, 0, steps - 1)},
                         1);
    keeps = both(keeps, apply<graph::NotEqualOp>(best, before));
  }
  Expr ones = cast(keeps, b.getI64Type());
  Expr ranks(b, make<graph::CumulativeSumOp>(b, ones.type(), ones.value,
                                             uint64_t(1), /*exclusive=*/true,
                                             /*reverse=*/false));
  int64_t all = count * steps;
  Choice chosen = choose(b, reshape(keeps, {all}));
  int64_t rows = chosen.count.bound;
  Expr sequence = apply<graph::FloorDivOp>(
      chosen.positions, number(b, std::max<int64_t>(steps, 1)));
  Expr rank = gather(reshape(ranks, {all}), chosen.positions, 0);
  Expr indices =
      concat({reshape(sequence, {rows, 1}), reshape(rank, {rows, 1})}, 1);
  Expr values = gather(reshape(best, {all}), chosen.positions, 0);
  Expr longest = number(b, 0);
  if (all)
    longest = Expr(b, make<graph::ReduceMaxOp>(b, sum(ones, {1}).value,
                                               ArrayRef<int64_t>{0}));
  Expr shape =
      concat({reshape(number(b, count), {1}), reshape(longest, {1})}, 0);
  Expr scores = -sum(select(inside, greatest, greatest.like(0)), {1});
  if (!indices || !values)
    return give(node, Expr());
  return node.tracedResults(
      {withSizes(indices.value, {chosen.count, Size{2, {}}}),
       withSizes(values.value, {chosen.count}),
       {shape.value, {}, nullptr},
       {reshape(scores, {count, 1}).value, {}, nullptr}});
}

} // namespace

void addCtcHandlers(Handlers &handlers) {
  handlers["CTCGreedyDecoder"] = importGreedy;
  addCtcLossHandlers(handlers);
}

} // namespace weir::tensorflow

// The formulas of losses: terms, one for each row of classes, or for each
// element where there are none.

#include "dialects/graph/loss/Losses.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {
namespace {

Expr abs(Expr x) { return apply<graph::AbsOp>(x); }
Expr relu(Expr x) { return maximum(x, x.like(0)); }
Expr softplus(Expr x) { return apply<graph::SoftplusOp>(x); }

Expr meanSquared(Expr x, Expr labels, double) {
  return apply<graph::SquaredDifferenceOp>(x, labels);
}

/// Rows of scores, and of probabilities.
Expr softmaxCrossEntropy(Expr x, Expr labels, double) {
  Expr logs = x ? Expr(*x.b, make<graph::LogSoftmaxOp>(*x.b, x.value)) : Expr();
  Expr likelihoods = labels * logs;
  return likelihoods ? -sum(likelihoods, {likelihoods.rank() - 1}) : Expr();
}

/// The same of the class that each row is of. A number that is no class fails
/// the run. Comparisons with the numbers of classes are cheap, so each use of a
/// row repeats them instead of a read of a mask.
Expr sparseCrossEntropy(Expr x, Expr labels, double) {
  if (!x || !labels)
    return {};
  ImplicitLocOpBuilder &b = *x.b;
  // Labels of few bits cannot be compared with the number of classes.
  labels = cast(labels, b.getI64Type());
  auto classes = static_cast<double>(x.shape().back());
  Expr isClass = apply<graph::LogicalAndOp>(
      apply<graph::GreaterEqualOp>(labels, labels.like(0)),
      apply<graph::LessOp>(labels, labels.like(classes)));
  SmallVector<int64_t> dims(labels.rank());
  std::iota(dims.begin(), dims.end(), 0);
  Value all = make<graph::ReduceAndOp>(b, isClass.value, dims);
  b.create<graph::CheckOp>(all, "a label is not in [0, " +
                                    std::to_string(x.shape().back()) + ")");
  SmallVector<int64_t> column(labels.shape()), row(labels.rank(), 1);
  column.push_back(1);
  row.push_back(x.shape().back());
  Expr number = classes < 0x1p31 ? cast(labels, b.getI32Type()) : labels;
  Expr isLabel = apply<graph::EqualOp>(
      reshape(number, column),
      graph::iota(b, number.elementType(), row, labels.rank()));
  Expr logs(b, make<graph::LogSoftmaxOp>(b, x.value));
  return -sum(select(isLabel, logs, logs.like(0)), {labels.rank()});
}

/// max(x, 0) - x t + log(1 + exp(-|x|)), which no x makes overflow. It is
/// smooth though its terms are not: at zero, where scores begin, their slopes
/// are of the same side.
Expr sigmoidCrossEntropy(Expr x, Expr labels, double) {
  if (!x)
    return {};
  Expr zero = x.like(0), isUp = apply<graph::GreaterEqualOp>(x, zero);
  return select(isUp, x, zero) - x * labels + softplus(select(isUp, -x, x));
}

/// Squared within `delta`, straight beyond.
Expr huber(Expr x, Expr labels, double delta) {
  Expr off = abs(x - labels);
  if (!off)
    return {};
  Expr within = minimum(off, off.like(delta));
  return within * (off - within * 0.5);
}

/// Labels are 0 and 1, and scores meant to be at least 1 on their side of 0.
Expr hinge(Expr x, Expr labels, double) {
  Expr side = labels * 2 - 1;
  return side ? relu(1 - side * x) : Expr();
}

/// log(cosh(e)), which is e + log(1 + exp(-2e)) - log(2).
Expr logCosh(Expr x, Expr labels, double) {
  Expr off = x - labels;
  return off + softplus(off * -2) - std::log(2.0);
}

constexpr Loss all[] = {
    {"mean_squared_error", false, "", 0, meanSquared},
    {"softmax_cross_entropy", false, "", 0, softmaxCrossEntropy},
    {"sparse_softmax_cross_entropy", true, "", 0, sparseCrossEntropy},
    {"sigmoid_cross_entropy", false, "", 0, sigmoidCrossEntropy},
    {"huber", false, "delta", 1, huber},
    {"hinge", false, "", 0, hinge},
    {"log_cosh", false, "", 0, logCosh}};

} // namespace

ArrayRef<Loss> losses() { return all; }

const Loss *findLoss(StringRef name) {
  const auto *found =
      llvm::find_if(all, [&](const Loss &loss) { return loss.name == name; });
  return found == std::end(all) ? nullptr : found;
}

RankedTensorType labelsType(const Loss &loss, RankedTensorType output) {
  if (!isa<FloatType>(output.getElementType()))
    return {};
  if (StringRef(loss.name).contains("softmax") && output.getRank() == 0)
    return {};
  if (!loss.sparse)
    return output;
  return RankedTensorType::get(output.getShape().drop_back(),
                               IntegerType::get(output.getContext(), 32));
}

Value scoresOf(const Loss &loss, Value output) {
  StringRef name = loss.name;
  if (auto softmax = output.getDefiningOp<graph::SoftmaxOp>();
      softmax && !softmax.getMasked() && name.contains("softmax"))
    return softmax->getOperand(0);
  if (auto sigmoid = output.getDefiningOp<graph::SigmoidOp>();
      sigmoid && name == "sigmoid_cross_entropy")
    return sigmoid->getOperand(0);
  return output;
}

} // namespace weir::train

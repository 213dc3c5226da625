// Linear models.

#include "compiler/import/onnx/learned/Linear.h"

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/build/Quantile.h"
#include "compiler/import/onnx/learned/Encoders.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Expr> transformed(Node &node, Expr scores) {
  return transformed(node, scores, node.stringAttr("post_transform", "NONE"));
}

FailureOr<Expr> transformed(Node &node, Expr scores, StringRef how) {
  if (how == "NONE")
    return scores;
  if (how == "LOGISTIC")
    return sigmoid(scores);
  if (how == "SOFTMAX")
    return apply<graph::SoftmaxOp>(scores);
  if (how == "SOFTMAX_ZERO" && scores) {
    // Scores of 0 stay out of it.
    Expr isZero = apply<graph::EqualOp>(scores, scores.like(0));
    Integers last{scores.rank() - 1};
    Expr power = apply<graph::ExpOp>(scores - largest(scores, last));
    Expr kept = select(isZero, scores.like(0), power);
    return apply<graph::DivNoNanOp>(kept, sum(kept, last, /*keep=*/true));
  }
  if (how == "PROBIT")
    return scores ? cast(normalQuantile(cast(scores, node.b.getF64Type())),
                         scores.elementType())
                  : scores;
  return node.error() << "post_transform '" << escaped(how) << "' is unknown";
}

FailureOr<Expr> rowsOfFloats(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = cast(operand(node, 0), node.b.getF32Type());
  if (x.rank() == 1)
    x = reshape(x, {1, x.size(0)});
  if (x.rank() != 2 || x.size(1) < 1)
    return node.error() << "does not take " << node.type(0);
  return x;
}

FailureOr<Integers> classLabels(Node &node, StringRef numbers) {
  SmallVector<StringRef> strings = node.stringsAttr("classlabels_strings");
  Integers labels = node.intsAttr(numbers);
  if (!strings.empty())
    labels = indexed(std::vector<std::string>(strings.begin(), strings.end()))
                 .indices;
  if (labels.empty())
    return node.error() << "has no labels";
  return labels;
}

namespace {

/// x * coefficients of as many rows as there are results, and an intercept.
FailureOr<Expr> linear(Node &node, Expr x, int64_t results) {
  Expr weights = floatsOf(node, "coefficients"),
       shift = floatsOf(node, "intercepts");
  if (results < 1 || weights.size(0) % results ||
      weights.size(0) / results != x.size(1) ||
      (shift.size(0) != 0 && shift.size(0) != results))
    return node.error() << "has " << weights.size(0) << " coefficients for "
                        << x.type() << " and " << results << " results";
  Expr y = matmul(x, reshape(weights, {results, x.size(1)}), false, true);
  return shift.size(0) ? y + shift : y;
}

LogicalResult importLinearRegressor(Node &node) {
  auto x = rowsOfFloats(node);
  if (failed(x))
    return failure();
  auto y = linear(node, *x, node.intAttr("targets", 1));
  if (failed(y))
    return failure();
  auto result = transformed(node, *y);
  return failed(result) ? failure() : give(node, *result);
}

LogicalResult importLinearClassifier(Node &node) {
  auto x = rowsOfFloats(node);
  if (failed(x))
    return failure();
  FailureOr<Integers> found = classLabels(node, "classlabels_ints");
  if (failed(found))
    return failure();
  const Integers &labels = *found;
  int64_t results = std::max<int64_t>(node.floatsAttr("intercepts").size(), 1);
  if (node.floatsAttr("intercepts").empty() && x->size(1) > 0)
    results = static_cast<int64_t>(node.floatsAttr("coefficients").size()) /
              x->size(1);
  auto scores = linear(node, *x, results);
  if (failed(scores))
    return failure();
  auto classes = static_cast<int64_t>(labels.size());
  bool isBinary = results == 1 && classes == 2;
  if (!isBinary && results != classes)
    return node.error() << "has " << classes << " labels for " << results
                        << " scores";
  Expr y = *scores;
  // One score is that of the second of two classes.
  Expr both = isBinary ? concat({-y, y}, 1) : y;
  auto given = transformed(node, both);
  if (failed(given) || !both)
    return failed(given) ? failure() : give(node, Expr());
  Value best = make<graph::ArgMaxOp>(
      node.b, RankedTensorType::get({both.size(0)}, node.b.getI64Type()),
      both.value, int64_t(1));
  Expr list(node.b, numbers(node.b, node.b.getI64Type(), labels));
  return give(node, {gather(list, Expr(node.b, best), 0), *given});
}

} // namespace

void addLinearModelHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::LinearRegressor"] = importLinearRegressor;
  handlers["ai.onnx.ml::LinearClassifier"] = importLinearClassifier;
}

} // namespace weir::onnx

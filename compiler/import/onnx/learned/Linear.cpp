// Linear models and support vector regression.

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/build/Quantile.h"

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

namespace {

/// Rows of f32; a vector is one row.
FailureOr<Expr> rowsOf(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = cast(operand(node, 0), node.b.getF32Type());
  if (x.rank() == 1)
    x = reshape(x, {1, x.size(0)});
  if (x.rank() != 2 || x.size(1) < 1)
    return node.error() << "does not take " << node.type(0);
  return x;
}

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
  auto x = rowsOf(node);
  if (failed(x))
    return failure();
  auto y = linear(node, *x, node.intAttr("targets", 1));
  if (failed(y))
    return failure();
  auto result = transformed(node, *y);
  return failed(result) ? failure() : give(node, *result);
}

LogicalResult importLinearClassifier(Node &node) {
  auto x = rowsOf(node);
  if (failed(x))
    return failure();
  if (!node.hasAttr("classlabels_ints"))
    return node.unsupported("labels that are strings");
  Integers labels = node.intsAttr("classlabels_ints");
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

/// Products of rows with support vectors, through the node's kernel.
FailureOr<Expr> kernelOf(Node &node, Expr x, Expr vectors) {
  SmallVector<float> parameters = node.floatsAttr("kernel_params");
  parameters.resize(3, 0);
  double gamma = parameters[0], shift = parameters[1], degree = parameters[2];
  StringRef kind = node.stringAttr("kernel_type", "LINEAR");
  Expr products = matmul(x, vectors, false, /*transposeY=*/true);
  if (kind == "LINEAR")
    return products;
  if (kind == "POLY") {
    Expr base = products * gamma + shift;
    return apply<graph::PowOp>(base, base ? base.like(degree) : base);
  }
  if (kind == "SIGMOID")
    return tanh(products * gamma + shift);
  if (kind == "RBF") {
    Expr own = sum(x * x, {1}, /*keep=*/true),
         theirs = sum(vectors * vectors, {1});
    Expr distance = own + theirs - products * 2.0;
    return apply<graph::ExpOp>(
        maximum(distance, distance ? distance.like(0) : distance) * -gamma);
  }
  return node.error() << "kernel '" << kind << "' is unknown";
}

LogicalResult importSvmRegressor(Node &node) {
  auto x = rowsOf(node);
  if (failed(x))
    return failure();
  int64_t supports = node.intAttr("n_supports");
  Expr weights = floatsOf(node, "coefficients"), shift = floatsOf(node, "rho");
  if (shift.size(0) != 1)
    return node.error() << "has " << shift.size(0) << " values of rho";
  Expr y;
  if (supports > 0) {
    Expr vectors =
        reshape(floatsOf(node, "support_vectors"), {supports, x->size(1)});
    if (!vectors || weights.size(0) != supports)
      return node.error() << "has " << weights.size(0) << " coefficients for "
                          << supports << " support vectors of " << x->size(1);
    auto products = kernelOf(node, *x, vectors);
    if (failed(products))
      return failure();
    y = matmul(*products, reshape(weights, {supports, 1}));
  } else {
    auto products = kernelOf(node, *x, reshape(weights, {1, x->size(1)}));
    if (failed(products))
      return failure();
    y = *products;
  }
  y = y + shift;
  if (node.intAttr("one_class"))
    y = select(apply<graph::GreaterOp>(y, y ? y.like(0) : y), y.like(1),
               y.like(-1));
  auto result = transformed(node, y);
  return failed(result) ? failure() : give(node, *result);
}

} // namespace

void addLinearModelHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::LinearRegressor"] = importLinearRegressor;
  handlers["ai.onnx.ml::LinearClassifier"] = importLinearClassifier;
  handlers["ai.onnx.ml::SVMRegressor"] = importSvmRegressor;
}

} // namespace weir::onnx

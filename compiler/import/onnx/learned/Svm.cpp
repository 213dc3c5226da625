// Support vector machines.

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/build/Steps.h"
#include "compiler/import/onnx/learned/Encoders.h"
#include "compiler/import/onnx/learned/Linear.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Products of rows with support vectors, through a kernel.
FailureOr<Expr> kernelOf(Node &node, Expr x, Expr vectors, StringRef kind) {
  SmallVector<float> parameters = node.floatsAttr("kernel_params");
  parameters.resize(3, 0);
  double gamma = parameters[0], shift = parameters[1], degree = parameters[2];
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
  return node.error() << "kernel '" << escaped(kind) << "' is unknown";
}

FailureOr<Expr> kernelOf(Node &node, Expr x, Expr vectors) {
  return kernelOf(node, x, vectors, node.stringAttr("kernel_type", "LINEAR"));
}

LogicalResult importSvmRegressor(Node &node) {
  auto x = rowsOfFloats(node);
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

/// A classifier: of linear models one score for each class, of support vectors
/// one for each pair of classes (C.-C. Chang and C.-J. Lin, "LIBSVM: A library
/// for support vector machines", 2011, section 7).
class Classifier {
public:
  explicit Classifier(Node &node) : node(node) {}

  LogicalResult import() {
    auto rows = rowsOfFloats(node);
    FailureOr<Integers> found = classLabels(node, "classlabels_ints");
    if (failed(rows) || failed(found))
      return failure();
    x = *rows;
    labels = *found;
    classes = static_cast<int64_t>(labels.size());
    coefficients = node.floatsAttr("coefficients");
    rho = node.floatsAttr("rho");
    isPositive = llvm::all_of(coefficients, [](float c) { return c >= 0; });
    counts = node.intsAttr("vectors_per_class");
    if (classes < 1)
      return node.error() << "has no labels";
    if (failed(counts.empty() ? scoreClasses() : scorePairs()))
      return failure();
    return giveBest();
  }

private:
  /// Of linear models.
  LogicalResult scoreClasses() {
    if (rho.empty() ||
        static_cast<int64_t>(coefficients.size()) != classes * x.size(1))
      return misfit();
    auto products = kernelOf(
        node, x, reshape(floatsOf(node, "coefficients"), {classes, x.size(1)}),
        "LINEAR");
    if (failed(products))
      return failure();
    scores = *products + rho[0];
    return success();
  }

  LogicalResult misfit() {
    return node.error() << "has " << coefficients.size() << " coefficients, "
                        << node.floatsAttr("support_vectors").size()
                        << " elements of support vectors and " << rho.size()
                        << " values of rho for " << classes << " classes and "
                        << x.type();
  }

  LogicalResult scorePairs() {
    constexpr int64_t maxClasses = 1 << 12;
    if (classes > maxClasses)
      return node.error() << "compares each two of " << classes
                          << " classes; at most " << maxClasses
                          << " are supported";
    int64_t vectors = 0, pairs = classes * (classes - 1) / 2;
    for (int64_t count : counts) {
      constexpr int64_t most = 1 << 24;
      if (count < 0 || count > most || vectors > most)
        return misfit();
      vectors += count;
    }
    auto has = [](const SmallVector<float> &values, int64_t count) {
      return static_cast<int64_t>(values.size()) == count;
    };
    SmallVector<float> a = node.floatsAttr("prob_a"),
                       b = node.floatsAttr("prob_b");
    // What is built for all pairs, and for the probabilities of all classes.
    constexpr int64_t maxElements = 1 << 24, maxOfProbabilities = 64;
    if (pairs * std::max(classes, vectors) > maxElements ||
        (!a.empty() && classes > maxOfProbabilities))
      return node.unsupported(Twine(classes) + " classes");
    if (classes < 2 || static_cast<int64_t>(counts.size()) != classes ||
        !has(node.floatsAttr("support_vectors"), vectors * x.size(1)) ||
        !has(coefficients, (classes - 1) * vectors) || !has(rho, pairs))
      return misfit();
    if (a.size() != b.size() || !(a.empty() || has(a, pairs)))
      return node.error() << "has " << a.size() << " and " << b.size()
                          << " parameters of probabilities for " << pairs
                          << " pairs of classes";
    auto products = kernelOf(
        node, x,
        reshape(floatsOf(node, "support_vectors"), {vectors, x.size(1)}));
    if (failed(products))
      return failure();
    // A pair has the vectors of its two classes, each with the coefficients
    // that it has against the other class.
    std::vector<double> weights(vectors * pairs), first(pairs * classes),
        second(pairs * classes);
    Integers begins{0};
    for (int64_t count : counts)
      begins.push_back(begins.back() + count);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        for (int64_t k = begins[i]; k < begins[i + 1]; ++k)
          weights[k * pairs + pair] = coefficients[(j - 1) * vectors + k];
        for (int64_t k = begins[j]; k < begins[j + 1]; ++k)
          weights[k * pairs + pair] = coefficients[i * vectors + k];
        first[pair * classes + i] = second[pair * classes + j] = 1;
      }
    Type f32 = node.b.getF32Type();
    scores =
        matmul(*products, constant(node.b, f32, {vectors, pairs}, weights)) +
        floatsOf(node, "rho");
    if (!scores)
      return success();
    Expr isFirst = apply<graph::GreaterOp>(scores, scores.like(0));
    auto votesFor = [&](Expr isFor, ArrayRef<double> whom) {
      return matmul(cast(isFor, f32),
                    constant(node.b, f32, {pairs, classes}, whom));
    };
    votes = votesFor(isFirst, first) +
            votesFor(apply<graph::LogicalNotOp>(isFirst), second);
    if (!a.empty())
      addProbabilities();
    return success();
  }

  /// Of each class, from those of pairs: T.-F. Wu, C.-J. Lin and R. C. Weng,
  /// "Probability estimates for multi-class classification by pairwise
  /// coupling", 2004, algorithm 2, which ends where it is near enough.
  void addProbabilities() {
    constexpr int64_t steps = 100;
    constexpr double least = 1e-7, near = 0.005;
    Expr power = scores * floatsOf(node, "prob_a") + floatsOf(node, "prob_b");
    Expr ofPair = clamp(sigmoid(-power), least, 1 - least);
    int64_t rows = scores.size(0);
    auto column = [&](Expr x, int64_t i) { return slice(x, 1, i, 1); };
    // r[j][i], the probability of j and not i.
    SmallVector<SmallVector<Expr>> r(classes, SmallVector<Expr>(classes));
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        r[i][j] = column(ofPair, pair);
        r[j][i] = 1 - r[i][j];
      }
    // The rows of the matrix Q.
    SmallVector<Expr> q;
    for (int64_t i = 0; i < classes; ++i) {
      SmallVector<Expr> line(classes);
      for (int64_t j = 0; j < classes; ++j)
        if (j != i) {
          line[j] = -(r[j][i] * r[i][j]);
          line[i] = line[i] ? line[i] + r[j][i] * r[j][i] : r[j][i] * r[j][i];
        }
      q.push_back(concat(line, 1));
    }
    auto step = [&](Expr, ArrayRef<Expr> states) -> SmallVector<Expr> {
      Expr p = states[0];
      SmallVector<Expr> parts;
      for (Expr line : q)
        parts.push_back(sum(line * p, {1}, /*keep=*/true));
      Expr qp = concat(parts, 1), pqp = sum(p * qp, {1}, /*keep=*/true);
      Expr error = largest(apply<graph::AbsOp>(qp - pqp), {1});
      if (!error)
        return {Expr()};
      Expr isNear =
          less(error, error.like(near / static_cast<double>(classes)));
      Expr next = p;
      for (int64_t i = 0; i < classes; ++i) {
        Expr own = column(q[i], i);
        Expr change = (pqp - column(qp, i)) / own, scale = change + 1.0;
        Expr hit = constant(node.b, next.elementType(), {1, classes}, oneAt(i));
        pqp = (pqp + change * (change * own + column(qp, i) * 2.0)) / scale /
              scale;
        qp = (qp + change * q[i]) / scale;
        next = (next + change * hit) / scale;
      }
      return {select(broadcast(isNear, p.shape()), p, next)};
    };
    Expr start = filled(node.b, {rows, classes}, scores.elementType(),
                        1.0 / static_cast<double>(classes));
    scores = repeat(node.b, steps, {start}, step)[0];
  }

  SmallVector<double> oneAt(int64_t i) const {
    SmallVector<double> values(classes, 0);
    values[i] = 1;
    return values;
  }

  LogicalResult giveBest() {
    Expr ranked = votes ? votes : scores;
    if (!ranked || !scores)
      return give(node, Expr());
    ImplicitLocOpBuilder &b = node.b;
    auto type = RankedTensorType::get({ranked.size(0)}, b.getI64Type());
    Expr best(b, make<graph::ArgMaxOp>(b, type, ranked.value, int64_t(1)));
    Expr label = gather(list(node, labels), best, 0);
    // What ONNX Runtime does where the specification is silent: of two classes
    // of a linear model the second is it where the larger score is high.
    if (classes == 2 && !votes) {
      Expr most = reshape(largest(scores, {1}), {scores.size(0)});
      Expr isSecond =
          isPositive ? apply<graph::LogicalNotOp>(less(most, most.like(0.5)))
                     : less(most.like(0), most);
      label = select(isSecond, number(node, labels[1]), label);
    }
    // And of one score of two classes there is no softmax.
    StringRef how = node.stringAttr("post_transform", "NONE");
    if (scores.size(1) == 1 && how.starts_with("SOFTMAX"))
      return give(node, {label, concat({1 - scores, scores}, 1)});
    if (scores.size(1) == 1)
      scores = concat({-scores, scores}, 1);
    auto result = transformed(node, scores);
    return failed(result) ? failure() : give(node, {label, *result});
  }

  Node &node;
  Expr x;
  Integers labels, counts;
  int64_t classes = 0;
  SmallVector<float> coefficients, rho;
  /// Whether no coefficient is negative.
  bool isPositive = false;
  Expr scores;
  Expr votes; // of pairs; none: there are not paired
};

LogicalResult importSvmClassifier(Node &node) {
  return Classifier(node).import();
}

} // namespace

void addSvmHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::SVMRegressor"] = importSvmRegressor;
  handlers["ai.onnx.ml::SVMClassifier"] = importSvmClassifier;
}

} // namespace weir::onnx

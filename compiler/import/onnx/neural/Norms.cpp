// Normalizations.

#include "compiler/import/onnx/neural/Norms.h"

#include "compiler/import/Trained.h"
#include "compiler/import/build/Norms.h"
#include "compiler/import/onnx/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

/// A vector for the channels, which are dimension 1; an error where operand
/// `i` is none.
static FailureOr<Expr> forChannels(Node &node, unsigned i) {
  Expr x = operand(node, i);
  if (!x || x.rank() != 1 || x.size(0) != node.shape(0)[1]) {
    auto diagnostic = node.error();
    diagnostic << "operand " << i;
    if (x)
      diagnostic << ", " << x.type() << ",";
    diagnostic << " has no value for each channel of " << node.type(0);
    return diagnostic;
  }
  return along(x, 1, node.rank(0));
}

Normal normalize(Expr x, ArrayRef<int64_t> dims, double epsilon) {
  Expr center = mean(x, dims, /*keep=*/true);
  Expr distance = x - center;
  Expr variance = mean(distance * distance, dims, /*keep=*/true);
  Expr inverse = rsqrt(variance + epsilon);
  return {distance * inverse, center, inverse};
}

Normal scaleToOne(Expr x, ArrayRef<int64_t> dims, double epsilon) {
  Expr square = mean(x * x, dims, /*keep=*/true);
  Expr inverse = rsqrt(square + epsilon);
  return {x * inverse, {}, inverse};
}

/// Operands: x, scale, bias, mean, variance.
static LogicalResult importBatchNorm(Node &node) {
  if (failed(wantFloats(node, 5, 2)))
    return failure();
  if (node.opset() < 9 && node.intAttr("spatial", 1) == 0)
    return node.unsupported("statistics for each place of an image");
  bool trains = node.opset() >= 14 && node.intAttr("training_mode") != 0;
  // Before opset 7 to train is the default, which files to be run have left as
  // it was: what trains has the statistics as results.
  if (node.opset() < 7 && node.intAttr("is_test") == 0)
    trains = node.wants(1);
  double epsilon = node.floatAttr("epsilon", 1e-5);
  double momentum = node.floatAttr("momentum", 0.9);
  Expr vectors[4];
  for (unsigned i = 0; i < 4; ++i) {
    auto vector = forChannels(node, i + 1);
    if (failed(vector))
      return failure();
    vectors[i] = *vector;
  }
  auto [scale, bias, center, variance] = vectors;
  // f16 and bf16 are computed in the type of the statistics if that is wider.
  Expr x = operand(node, 0);
  Type work = variance.elementType();
  auto bits = [](Type type) { return type.getIntOrFloatBitWidth(); };
  if (bits(x.elementType()) > bits(work))
    work = x.elementType();
  if (bits(work) < 32)
    work = node.b.getF32Type();
  Type statistics = variance.elementType();
  for (Expr *e : {&x, &scale, &bias, &center, &variance})
    *e = cast(*e, work);
  if (!trains) {
    Expr factor = scale * rsqrt(variance + epsilon);
    Expr y = x * factor + (bias - center * factor);
    // Old models name results of training without training.
    Expr mean = operand(node, 3), spread = operand(node, 4);
    return give(node, {cast(y, node.element(0)), mean, spread, mean, spread});
  }
  Integers others{0};
  llvm::append_range(others, dimsFrom(2, x.rank()));
  Expr own = mean(x, others, /*keep=*/true), distance = x - own;
  Expr ownVariance = mean(distance * distance, others, /*keep=*/true);
  Expr y = distance * (rsqrt(ownVariance + epsilon) * scale) + bias;
  auto moved = [&](Expr from, Expr to) {
    Expr e = from * momentum + to * (1 - momentum);
    return cast(reshape(e, {node.shape(0)[1]}), statistics);
  };
  SmallVector<Expr> results{cast(y, node.element(0)), moved(center, own),
                            moved(variance, ownVariance)};
  // The model itself hands them on; who trains it has them for the next step.
  if (!node.scope.outer && !node.scope.context.function)
    for (int i : {1, 2})
      keepInStep(node.b, node.b.getLoc(), node.def.input(i + 2),
                 results[i].value);
  if (node.opset() < 14)
    for (Expr e : {own, ownVariance})
      results.push_back(cast(reshape(e, {node.shape(0)[1]}), statistics));
  return give(node, results);
}

static LogicalResult importInstanceNorm(Node &node) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  auto scale = forChannels(node, 1), bias = forChannels(node, 2);
  if (failed(scale) || failed(bias))
    return failure();
  Expr x = widened(operand(node, 0));
  Normal normal =
      normalize(x, dimsFrom(2, x.rank()), node.floatAttr("epsilon", 1e-5));
  return give(
      node, cast(normal.x * widened(*scale) + widened(*bias), node.element(0)));
}

Type stashType(Node &node, Expr x) {
  if (x.elementType().isF64() || node.intAttr("stash_type", 1) == 11)
    return node.b.getF64Type();
  return node.b.getF32Type();
}

static LogicalResult importLayerNorm(Node &node) {
  if (failed(wantFloats(node, 2, 1)))
    return failure();
  Expr x = operand(node, 0), scale = operand(node, 1), bias = operand(node, 2);
  auto axis = node.axis(node.intAttr("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  Type element = x.elementType();
  Normal normal =
      normalize(cast(x, stashType(node, x)), dimsFrom(*axis, x.rank()),
                node.floatAttr("epsilon", 1e-5));
  Expr y = cast(normal.x, element) * scale;
  if (node.has(2))
    y = y + bias;
  if (y && y.shape() != x.shape())
    y = {};
  return give(node, {y, normal.mean, normal.inverse});
}

LogicalResult importRmsNorm(Node &node) {
  if (failed(wantFloats(node, 2, 1)))
    return failure();
  Expr x = operand(node, 0);
  auto axis = node.axis(node.intAttr("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  Normal normal =
      scaleToOne(cast(x, stashType(node, x)), dimsFrom(*axis, x.rank()),
                 node.floatAttr("epsilon", 1e-5));
  Expr y = cast(normal.x, node.element(1)) * operand(node, 1);
  if (y && y.shape() != x.shape())
    y = {};
  return give(node, {y, normal.inverse});
}

static LogicalResult importGroupNorm(Node &node) {
  if (failed(wantFloats(node, 3, 2)))
    return failure();
  Expr x = operand(node, 0);
  int64_t groups = node.intAttr("num_groups"), channels = x.size(1);
  if (groups < 1 || channels % groups)
    return node.error() << "cannot part " << channels << " channels into "
                        << groups << " groups";
  // Version 18 has a scale for each group.
  int64_t vectors = node.opset() < 21 ? groups : channels;
  for (unsigned i : {1, 2})
    if (node.rank(i) != 1 || node.shape(i)[0] != vectors)
      return node.error() << "operand " << i << " is " << node.type(i);
  Integers shape{x.size(0), groups, channels / groups};
  llvm::append_range(shape, x.shape().drop_front(2));
  Type element = x.elementType();
  Normal normal = normalize(reshape(cast(x, stashType(node, x)), shape),
                            dimsFrom(2, static_cast<int64_t>(shape.size())),
                            node.floatAttr("epsilon", 1e-5));
  Integers parts(shape.size(), 1);
  parts[1] = groups;
  if (vectors == channels)
    parts[2] = channels / groups;
  Expr y = cast(normal.x, element) * reshape(operand(node, 1), parts) +
           reshape(operand(node, 2), parts);
  return give(node, reshape(y, x.shape()));
}

static LogicalResult importMeanVariance(Node &node) {
  if (failed(wantFloats(node, 1)))
    return failure();
  Expr x = widened(operand(node, 0));
  Integers given{0, 2, 3};
  if (node.hasAttr("axes"))
    given = node.intsAttr("axes");
  auto axes = node.axes(given, x.rank());
  if (failed(axes))
    return failure();
  llvm::sort(*axes);
  Expr distance = x - mean(x, *axes, /*keep=*/true);
  Expr deviation =
      apply<graph::SqrtOp>(mean(distance * distance, *axes, /*keep=*/true));
  return give(node, cast(distance / (deviation + 1e-9), node.element(0)));
}

static LogicalResult importLpNorm(Node &node) {
  if (failed(wantFloats(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0), wide = widened(x);
  auto axis = node.axis(node.intAttr("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  int64_t p = node.intAttr("p", 2);
  if (p != 1 && p != 2)
    return node.error() << "has a norm of order " << p;
  Expr norm = p == 1
                  ? sum(apply<graph::AbsOp>(wide), {*axis}, /*keep=*/true)
                  : rootOfPowers(sum(wide * wide, {*axis}, /*keep=*/true), 2);
  // Zeros stay zeros.
  return give(node,
              cast(apply<graph::DivNoNanOp>(wide, norm), x.elementType()));
}

/// x / (bias + alpha * the mean square of `size` channels)^beta, in which
/// channels outside count as zeros.
static LogicalResult importLocalResponse(Node &node) {
  if (failed(wantFloats(node, 1, 2)))
    return failure();
  Expr x = operand(node, 0);
  int64_t size = node.intAttr("size");
  if (size < 1 || size > (1 << 24))
    return node.error() << "has a window of " << size << " channels";
  // Channels become the dimension along which a window slides.
  Integers flat{x.size(0), x.size(1), productOf(x.shape().drop_front(2))};
  Expr wide = widened(x), squares = reshape(wide * wide, flat);
  int64_t low = (size - 1) / 2, high = size - 1 - low;
  squares = pad(squares, {0, low, 0}, {0, high, 0});
  Expr means = poolAverage(squares, {{size}, {1}, {1}, {0}, {0}, {x.size(1)}});
  double alpha = node.floatAttr("alpha", 1e-4),
         bias = node.floatAttr("bias", 1);
  Expr factor =
      responseFactor(means * alpha + bias, node.floatAttr("beta", 0.75),
                     /*isPositive=*/alpha >= 0 && bias > 0);
  if (!factor)
    return give(node, factor);
  return give(node, cast(wide * reshape(factor, x.shape()), x.elementType()));
}

void addNormHandlers(Handlers &handlers) {
  handlers["BatchNormalization"] = importBatchNorm;
  handlers["InstanceNormalization"] = importInstanceNorm;
  handlers["LayerNormalization"] = importLayerNorm;
  handlers["RMSNormalization"] = importRmsNorm;
  handlers["GroupNormalization"] = importGroupNorm;
  handlers["MeanVarianceNormalization"] = importMeanVariance;
  handlers["LpNormalization"] = importLpNorm;
  handlers["LRN"] = importLocalResponse;
}

} // namespace weir::onnx

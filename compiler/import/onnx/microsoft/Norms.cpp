// Normalizations behind a skip connection, and of embeddings.

#include "compiler/import/onnx/neural/Norms.h"
#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The normalization of `x`, computed in f32 at least, along its last
/// dimension. Operands `gain` and `shift` scale it and are added to it; an
/// operand that is left out is not.
FailureOr<Normal> normalLast(Node &node, Expr x, unsigned gain, unsigned shift,
                             bool isCentered, double epsilon) {
  Integers dims{x.rank() - 1};
  Normal normal =
      isCentered ? normalize(x, dims, epsilon) : scaleToOne(x, dims, epsilon);
  if (node.has(gain)) {
    auto vector = forLast(node, gain, x);
    if (failed(vector))
      return failure();
    normal.x = normal.x * widened(*vector);
  }
  if (isCentered && node.has(shift)) {
    auto vector = forLast(node, shift, x);
    if (failed(vector))
      return failure();
    normal.x = normal.x + widened(*vector);
  }
  return normal;
}

/// Operands: the input, the skip connection, which may have one batch alone;
/// gamma, beta where the mean is subtracted, and a bias.
template <bool isCentered>
LogicalResult importSkipNorm(Node &node) {
  if (failed(wantFloats(node, 3, 2)))
    return failure();
  Expr x = operand(node, 0), skip = operand(node, 1);
  auto shape = broadcastShapes(x.shape(), skip.shape());
  if (failed(shape) || ArrayRef<int64_t>(*shape) != x.shape())
    return node.error() << "adds " << skip.type() << " to " << x.type();
  constexpr unsigned bias = isCentered ? 4 : 3;
  Expr whole = widened(x) + widened(skip);
  if (node.has(bias)) {
    auto vector = forLast(node, bias, x);
    if (failed(vector))
      return failure();
    whole = whole + widened(*vector);
  }
  if (!whole)
    return give(node, whole);
  auto normal = normalLast(node, whole, 2, 3, isCentered,
                           node.floatAttr("epsilon", 1e-12f));
  if (failed(normal))
    return failure();
  Type element = node.element(0);
  Expr mean = isCentered ? normal->mean : normal->inverse * 0;
  return give(node, {cast(normal->x, element), mean, normal->inverse,
                     cast(whole, element)});
}

/// Rows of the table at operand `i`, which the integers name.
FailureOr<Expr> rowsOf(Node &node, unsigned i, Expr ids) {
  return Part(node, "Gather").runForOne({operand(node, i), ids});
}

/// Operands: the words' ids and those of their segments, the tables of words,
/// positions and segments, gamma, beta, a mask of words and their positions.
LogicalResult importEmbedNorm(Node &node) {
  for (unsigned i : {0, 2, 3, 5, 6})
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
  bool fits = node.rank(0) == 2 && node.has(1) == node.has(4) &&
              (!node.has(1) || node.shape(1) == node.shape(0));
  for (unsigned i : {2, 3, 4})
    fits &= !node.has(i) ||
            (node.rank(i) == 2 && node.shape(i)[1] == node.shape(2)[1] &&
             isOf(node.element(i), Elements::floats));
  for (unsigned i : {0, 1, 7, 8})
    fits &= !node.has(i) || isOf(node.element(i), Elements::integers);
  if (!fits)
    return node.error() << "has no embeddings of " << node.type(0)
                        << " in tables " << node.type(2) << " and "
                        << node.type(3);
  Expr ids = operand(node, 0);
  int64_t batch = ids.size(0), steps = ids.size(1), last = node.shape(2)[1];
  auto whole = rowsOf(node, 2, ids);
  if (failed(whole))
    return failure();
  Expr total = widened(*whole);
  if (!node.has(8) && node.shape(3)[0] < steps)
    return node.error() << "has " << node.shape(3)[0] << " positions for "
                        << steps << " words";
  // By indices, and not as a slice, the rows are as many as the words, also
  // where only the run knows how many these are.
  auto positions =
      rowsOf(node, 3,
             node.has(8) ? operand(node, 8)
                         : counted(node.b, steps, node.b.getI64Type()));
  if (failed(positions))
    return failure();
  total = total + widened(*positions);
  if (node.has(1)) {
    auto segments = rowsOf(node, 4, operand(node, 1));
    if (failed(segments))
      return failure();
    total = total + widened(*segments);
  }
  if (!total || total.shape() != ArrayRef<int64_t>{batch, steps, last})
    return give(node, Expr());
  auto normal =
      normalLast(node, total, 5, 6, true, node.floatAttr("epsilon", 1e-12f));
  if (failed(normal))
    return failure();
  Type i32 = node.b.getI32Type();
  Expr count;
  if (node.has(7)) {
    if (node.shape(7) != node.shape(0))
      return node.error() << "has a mask " << node.type(7);
    Expr mask = operand(node, 7);
    count = sum(cast(equal(mask, mask.like(1)), i32), {1});
  } else {
    count = filled(node.b, {batch}, i32, 0);
  }
  Type element = node.element(2);
  return give(node, {cast(normal->x, element), count, cast(total, element)});
}

/// Groups of channels, which come last unless the node says so, and an
/// activation x sigmoid(x).
FailureOr<Expr> groupsNormal(Node &node, Expr x) {
  int64_t groups = node.intAttr("groups"), channels = x.shape().back();
  if (groups < 1 || channels % groups)
    return node.error() << "cannot part " << channels << " channels into "
                        << groups << " groups";
  int64_t pixels = productOf(x.shape().drop_front().drop_back());
  Expr parts = reshape(x, {x.size(0), pixels, groups, channels / groups});
  Normal normal = normalize(parts, {1, 3}, node.floatAttr("epsilon", 1e-5f));
  Expr y = reshape(normal.x, x.shape());
  for (unsigned i : {1, 2}) {
    auto vector = forLast(node, i, x);
    if (failed(vector))
      return failure();
    y = i == 1 ? y * widened(*vector) : y + widened(*vector);
  }
  int64_t activation = node.intAttr("activation");
  if (activation != 0 && activation != 1)
    return node.error() << "activation is " << activation;
  return activation ? y * sigmoid(y) : y;
}

LogicalResult importGroupNorm(Node &node) {
  if (failed(wantFloats(node, 3, 3)))
    return failure();
  Expr x = widened(operand(node, 0));
  bool isLast = node.intAttr("channels_last", 1) != 0;
  auto y = groupsNormal(node, isLast ? x : channelsLast(x));
  if (failed(y))
    return failure();
  return give(node, cast(isLast ? *y : channelsFirst(*y), node.element(0)));
}

/// Operands: the input, gamma, beta, a skip connection, which may have one
/// pixel alone, and a bias of the channels. The second result is their sum.
LogicalResult importSkipGroupNorm(Node &node) {
  if (failed(wantFloats(node, 4, 3)))
    return failure();
  Expr x = operand(node, 0), skip = operand(node, 3);
  bool isLast = node.intAttr("channels_last", 1) != 0;
  // The skip connection of a batch and its channels has no pixels.
  if (skip.rank() == 2) {
    Integers wide(x.rank(), 1);
    wide.front() = skip.size(0);
    wide[isLast ? x.rank() - 1 : 1] = skip.size(1);
    skip = reshape(skip, wide);
  }
  auto common = broadcastShapes(x.shape(), skip.shape());
  if (failed(common) || ArrayRef<int64_t>(*common) != x.shape())
    return node.error() << "adds " << node.type(3) << " to " << x.type();
  Expr whole = widened(x) + widened(skip);
  if (!isLast)
    whole = channelsLast(whole);
  if (node.has(4)) {
    auto bias = forLast(node, 4, whole);
    if (failed(bias))
      return failure();
    whole = whole + widened(*bias);
  }
  auto y = groupsNormal(node, whole);
  if (failed(y))
    return failure();
  auto back = [&](Expr e) {
    return cast(isLast ? e : channelsFirst(e), node.element(0));
  };
  return give(node, {back(*y), back(whole)});
}

} // namespace

void addMicrosoftNormHandlers(Handlers &handlers) {
  handlers["com.microsoft::EmbedLayerNormalization"] = importEmbedNorm;
  handlers["com.microsoft::GroupNorm"] = importGroupNorm;
  handlers["com.microsoft::SkipGroupNorm"] = importSkipGroupNorm;
  handlers["com.microsoft::SkipLayerNormalization"] = importSkipNorm<true>;
  handlers["com.microsoft::SkipSimplifiedLayerNormalization"] =
      importSkipNorm<false>;
  // ONNX Runtime has it in ONNX's own domain.
  handlers["SimplifiedLayerNormalization"] = importRmsNorm;
  handlers["com.microsoft::SimplifiedLayerNormalization"] = importRmsNorm;
}

} // namespace weir::onnx

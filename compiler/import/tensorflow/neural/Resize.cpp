// Resized images: rows and columns at computed places with computed weights,
// which fold where all sizes are known.

#include "compiler/import/tensorflow/neural/Resize.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <limits>

using namespace mlir;

namespace weir::tensorflow {

Expr along(Expr x, int64_t axis, Expr weights) {
  SmallVector<int64_t> shape(x.rank(), 1);
  shape[axis] = weights.size(0);
  return reshape(weights, shape);
}

Expr nearestPixels(const Scale &scale) {
  Expr at = scale.single(iota(scale.b, scale.out.bound));
  if (scale.halfPixel)
    at = at + 0.5;
  at = at * scale.factor();
  Expr whole = apply<graph::FloorOp>(at);
  // Halves round up, without the rounding of a sum.
  if (scale.alignCorners)
    whole = select(apply<graph::GreaterEqualOp>(at - whole, at.like(0.5)),
                   whole + 1, whole);
  return scale.pixel(whole);
}

void cubicTaps(const Scale &scale, Taps (&taps)[4]) {
  constexpr double steps = 1024;
  const double a = scale.halfPixel ? -0.5 : -0.75;
  auto inner = [&](Expr x) {
    return scale.single(((x * (a + 2) - (a + 3)) * x) * x + 1);
  };
  auto outer = [&](Expr x) {
    Expr y = x + 1;
    return scale.single(((y * a - 5 * a) * y + 8 * a) * y - 4 * a);
  };
  Expr at = scale.positions(), first = apply<graph::FloorOp>(at);
  Expr offset = apply<graph::RoundOp>((at - first) * steps);
  Expr x = cast(offset, scale.b.getF64Type()) / steps, y = 1.0 - x;
  Expr weights[4] = {outer(x), inner(x), inner(y), outer(y)}, total;
  for (int64_t k = 0; k < 4; ++k) {
    Expr position = cast(first, scale.b.getI32Type());
    position = position + static_cast<double>(k - 1);
    taps[k].pixels = scale.pixel(position);
    // Pixels outside count for nothing where centers are half a pixel in.
    if (scale.halfPixel)
      weights[k] = select(apply<graph::EqualOp>(position, taps[k].pixels),
                          weights[k], weights[k].like(0));
    total = k ? total + weights[k] : weights[k];
  }
  double least = 1000 * static_cast<double>(std::numeric_limits<float>::min());
  Expr scaled = apply<graph::GreaterEqualOp>(apply<graph::AbsOp>(total),
                                             total.like(least));
  for (int64_t k = 0; k < 4; ++k)
    taps[k].weights = scale.halfPixel
                          ? select(scaled, weights[k] / total, weights[k])
                          : weights[k];
}

namespace {

std::optional<DenseElementsAttr> known(Expr x) {
  return x ? knownElements(x.value) : std::nullopt;
}

/// Pixels of `x` along `axis`.
Expr take(Expr x, int64_t axis, Expr positions) {
  // All pixels in their order.
  if (auto order = known(positions);
      order && positions.size(0) == x.size(axis)) {
    int64_t next = 0;
    if (llvm::all_of(order->getValues<APInt>(), [&](const APInt &position) {
          return position.getSExtValue() == next++;
        }))
      return x;
  }
  return gather(x, positions, axis);
}

/// Images of rank 4, the sizes of the result, and the mapping of both
/// dimensions.
struct Resize {
  Expr x;
  Sizes sizes;
  Scale scales[2];

  LogicalResult give(Node &node, Expr y) const {
    return failed(weir::give(node, y)) ? failure() : giveSizes(node, 0, sizes);
  }
};

FailureOr<Resize> resizeOf(Node &node) {
  if (node.size() != 2 || node.rank(0) != 4 || node.shape(0)[1] < 1 ||
      node.shape(0)[2] < 1 || node.type(1).getNumElements() != 2)
    return node.error() << "cannot resize these images";
  auto wanted = listedScalars(node, 1);
  if (failed(wanted))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  constexpr int64_t most = 1 << 20;
  Expr one = number(b, 1), valid;
  auto mustBePositive = [&](Expr size) {
    Expr condition = apply<graph::GreaterEqualOp>(size, one);
    valid = valid ? apply<graph::LogicalAndOp>(valid, condition) : condition;
  };
  for (unsigned i : {0, 1}) {
    auto size = knownNumber((*wanted)[i]);
    if (size && *size < 1)
      return node.error() << "cannot resize these images";
    if (size && *size > most)
      return node.error() << "images of " << *size << " pixels are too large";
    if (!size)
      mustBePositive(Expr(b, (*wanted)[i]));
    if (!from[i + 1].isKnown())
      mustBePositive(exactly(b, from[i + 1]));
  }
  if (valid)
    require(node, valid, "resizes from or to images without pixels");
  Value count = number(b, from[0].bound).value,
        channels = number(b, from[3].bound).value;
  auto sizes = sizesFrom(node, {count, (*wanted)[0], (*wanted)[1], channels},
                         {from[0].bound, most, most, from[3].bound});
  if (failed(sizes))
    return failure();
  sizes->front() = from.front();
  sizes->back() = from.back();
  bool align = node.boolAttr("align_corners"),
       half = node.boolAttr("half_pixel_centers");
  return Resize{operand(node, 0),
                *sizes,
                {{b, from[1], (*sizes)[1], align, half},
                 {b, from[2], (*sizes)[2], align, half}}};
}

LogicalResult nearest(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = resize->x;
  for (int64_t axis : {1, 2})
    x = take(x, axis, nearestPixels(resize->scales[axis - 1]));
  return resize->give(node, x);
}

LogicalResult bilinear(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = cast(resize->x, node.b.getF32Type());
  // Columns first, as TensorFlow does.
  for (int64_t axis : {2, 1}) {
    const Scale &scale = resize->scales[axis - 1];
    Expr at = scale.positions(), floor = apply<graph::FloorOp>(at);
    Expr low = scale.pixel(floor);
    Expr high = scale.pixel(apply<graph::CeilOp>(at));
    Expr weights = at - floor;
    Expr lower = take(x, axis, low);
    auto lows = known(low), none = known(weights);
    if ((lows && lows == known(high)) ||
        (none && llvm::all_of(none->getValues<APFloat>(),
                              [](const APFloat &w) { return w.isZero(); }))) {
      x = lower;
      continue;
    }
    x = lower + (take(x, axis, high) - lower) * along(x, axis, weights);
  }
  return resize->give(node, x);
}

LogicalResult bicubic(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = cast(resize->x, node.b.getF32Type());
  for (int64_t axis : {1, 2}) {
    Taps taps[4];
    cubicTaps(resize->scales[axis - 1], taps);
    Expr sum;
    for (const Taps &tap : taps) {
      Expr part = take(x, axis, tap.pixels) * along(x, axis, tap.weights);
      sum = sum ? sum + part : part;
    }
    x = sum;
  }
  return resize->give(node, x);
}

/// How much of each pixel each place of the result covers: out x in.
Expr coverage(const Scale &scale) {
  ImplicitLocOpBuilder &b = scale.b;
  int64_t out = scale.out.bound, in = scale.in.bound;
  Expr factor = scale.factor(), o = reshape(iota(b, out), {out, 1});
  Expr begin = scale.single(o) * factor;
  Expr end = scale.single(o + 1) * factor;
  auto covered = [&](Expr i) {
    Expr left = scale.single(i), right = scale.single(i + 1),
         one = left.like(1);
    Expr endsInside = apply<graph::GreaterOp>(right, end);
    Expr part = select(apply<graph::LessOp>(left, begin),
                       select(endsInside, factor, right - begin),
                       select(endsInside, end - left, one));
    Expr isCovered = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(left, apply<graph::FloorOp>(begin)),
        apply<graph::LessOp>(left, apply<graph::CeilOp>(end)));
    return select(isCovered, part / factor, part.like(0));
  };
  // What rounding puts behind the last pixel counts for it.
  Expr size = exactly(b, scale.in), pixels = reshape(iota(b, in), {1, in});
  Expr isLast = apply<graph::EqualOp>(pixels + 1, size);
  return covered(pixels) +
         select(isLast, covered(reshape(size, {1, 1})), factor.like(0));
}

/// Each pixel of the result is the mean of the area that it covers.
LogicalResult area(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Traced images = node.traced(0);
  images.value = cast(resize->x, node.b.getF32Type()).value;
  Expr x = masked(node.b, images, Expr(node.b, images.value).like(0), {1, 2});
  for (int64_t axis : {1, 2}) {
    const Scale &scale = resize->scales[axis - 1];
    int64_t in = scale.in.bound, out = scale.out.bound;
    if (in * out > (1 << 26))
      return node.unsupported("images of this size");
    SmallVector<int64_t> shape(x.shape());
    int64_t outer = axis == 1 ? shape[0] : shape[0] * shape[1];
    int64_t inner = axis == 1 ? shape[2] * shape[3] : shape[3];
    shape[axis] = out;
    x = reshape(matmul(coverage(scale), reshape(x, {outer, in, inner})), shape);
  }
  return resize->give(node, x);
}

constexpr std::pair<const char *, Handler> resizes[] = {
    {"ResizeNearestNeighbor", nearest},
    {"ResizeBilinear", bilinear},
    {"ResizeBicubic", bicubic},
    {"ResizeArea", area}};

} // namespace

void addResizeHandlers(Handlers &handlers) {
  for (auto [op, handler] : resizes)
    handlers[op] = handler;
  addResizeGradientHandlers(handlers);
}

void addBoundedResizeHandlers(BoundedHandlers &handlers) {
  for (auto [op, handler] : resizes)
    handlers[op] = {handler, {1}};
}

} // namespace weir::tensorflow

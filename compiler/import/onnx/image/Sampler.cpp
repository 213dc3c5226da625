// Images at computed places.

#include "compiler/import/onnx/image/Sampler.h"

#include "compiler/import/onnx/image/Image.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::onnx {

SmallVector<Expr, 4> cubicWeights(Expr x, double a) {
  auto inner = [&](Expr d) { return ((d * (a + 2) - (a + 3)) * d) * d + 1; };
  auto outer = [&](Expr d) {
    return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a;
  };
  Expr y = 1 - x;
  return {outer(x + 1), inner(x), inner(y), outer(y + 1)};
}

/// The place of the pixel that a place is, mirrored at the ends, which are
/// `low` and `high`.
static Expr reflected(Expr position, double low, double high) {
  double range = high - low;
  if (range <= 0)
    return position * 0.0 + low;
  Expr from = apply<graph::AbsOp>(position - low);
  Expr turns = apply<graph::FloorOp>(from / range);
  Expr rest = from - turns * range;
  Expr isEven = apply<graph::EqualOp>(
      turns - apply<graph::FloorOp>(turns / 2.0) * 2.0, turns.like(0));
  return select(isEven, rest + low, high - rest);
}

Expr Sampler::inside(Expr position, int64_t dim) const {
  auto size = static_cast<double>(x.size(dim + 1));
  if (!position || outside == Outside::zeros)
    return position;
  double margin = alignCorners ? 0 : 0.5;
  if (outside == Outside::border) {
    // A place in the outer half of a border pixel stays where it is: cubic
    // weights differ there. What is read for it is clamped pixel by pixel.
    Expr stays = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(position, position.like(-margin)),
        apply<graph::LessEqualOp>(position, position.like(size - 1 + margin)));
    return select(stays, position, clamp(position, 0, size - 1));
  }
  Expr at = reflected(position, -margin, size - 1 + margin);
  return at;
}

/// Whole places, of which those outside give zeros or are moved inside.
Expr Sampler::pixel(ArrayRef<Expr> whole) const {
  ImplicitLocOpBuilder &b = *x.b;
  Type i64 = b.getI64Type();
  Expr index, isInside;
  for (auto [d, given] : llvm::enumerate(whole)) {
    auto size = static_cast<double>(x.size(static_cast<int64_t>(d) + 1));
    Expr position = given;
    if (outside == Outside::zeros) {
      Expr fits = apply<graph::LogicalAndOp>(
          apply<graph::GreaterEqualOp>(position,
                                       position ? position.like(0) : position),
          apply<graph::LessOp>(position,
                               position ? position.like(size) : position));
      isInside = isInside ? apply<graph::LogicalAndOp>(isInside, fits) : fits;
    } else if (outside == Outside::reflection) {
      position = inside(position, static_cast<int64_t>(d));
      // What rounds beyond an end lies half a pixel behind it.
      position = position ? apply<graph::TruncOp>(position) : position;
    }
    position = cast(clamp(position, 0, size - 1), i64);
    index = index ? index * size + position : position;
  }
  if (!index)
    return {};
  Integers flat{x.size(0), productOf(x.shape().drop_front().drop_back()),
                x.shape().back()};
  Expr pixels(b, make<graph::GatherOp>(b, reshape(x, flat).value, index.value,
                                       /*axis=*/1, /*batch_dims=*/1));
  if (!isInside)
    return pixels;
  Integers shape(isInside.shape());
  shape.push_back(1);
  return select(reshape(isInside, shape), pixels, pixels.like(0));
}

Expr Sampler::nearest(ArrayRef<Expr> positions) const {
  SmallVector<Expr> whole;
  for (auto [d, position] : llvm::enumerate(positions))
    whole.push_back(
        inside(apply<graph::RoundOp>(position), static_cast<int64_t>(d)));
  return pixel(whole);
}

Expr Sampler::weighted(ArrayRef<Expr> positions, int64_t first,
                       function_ref<SmallVector<Expr, 4>(Expr)> weigh) const {
  // Each dimension adds its taps to those of the ones before.
  SmallVector<std::pair<SmallVector<Expr>, Expr>> taps{{}};
  for (auto [d, given] : llvm::enumerate(positions)) {
    Expr position = inside(given, static_cast<int64_t>(d));
    Expr floor = apply<graph::FloorOp>(position);
    SmallVector<Expr, 4> weights = weigh(position - floor);
    decltype(taps) next;
    for (auto &[whole, weight] : taps)
      for (auto [k, share] : llvm::enumerate(weights)) {
        SmallVector<Expr> at = whole;
        at.push_back(floor +
                     static_cast<double>(static_cast<int64_t>(k) + first));
        next.push_back({at, weight ? weight * share : share});
      }
    taps = next;
  }
  Expr total;
  for (auto &[whole, weight] : taps) {
    if (!weight)
      return {};
    Integers shape(weight.shape());
    shape.push_back(1);
    Expr part = pixel(whole) * reshape(weight, shape);
    total = total ? total + part : part;
  }
  return total;
}

Expr Sampler::linear(ArrayRef<Expr> positions) const {
  return weighted(positions, 0,
                  [](Expr x) { return SmallVector<Expr, 4>{1 - x, x}; });
}

Expr Sampler::cubic(ArrayRef<Expr> positions) const {
  return weighted(positions, -1, [](Expr x) { return cubicWeights(x, -0.75); });
}

} // namespace weir::onnx

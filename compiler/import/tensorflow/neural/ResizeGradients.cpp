// Gradients of resized images in the images.

#include "compiler/import/tensorflow/neural/Resize.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// `images` along `axis` with each of its rows added to that of `count` which
/// `pixels` says.
Expr scatterAlong(Expr images, int64_t axis, Expr pixels, int64_t count) {
  if (!images)
    return images;
  ImplicitLocOpBuilder &b = *images.b;
  SmallVector<int64_t> toFront{axis};
  for (int64_t i = 0; i < images.rank(); ++i)
    if (i != axis)
      toFront.push_back(i);
  SmallVector<int64_t> back(toFront.size());
  for (auto [to, from] : llvm::enumerate(toFront))
    back[from] = static_cast<int64_t>(to);
  Expr updates = transpose(images, toFront);
  SmallVector<int64_t> shape(updates.shape());
  shape[0] = count;
  Expr zeros(b, splat(b, updates.type().clone(shape), 0));
  Expr sums(b, make<graph::ScatterOp>(
                   b, zeros.value, reshape(pixels, {pixels.size(0), 1}).value,
                   updates.value, graph::Combiner::add));
  return transpose(sums, back);
}

/// The gradient of a resize in the images: each gradient goes back to the
/// pixels from which its result came, by their weights.
struct Back {
  Expr gradient;
  Scale scales[2];
};

/// `sizes` are those of the images' rows and columns.
FailureOr<Back> backOf(Node &node, ArrayRef<int64_t> sizes, Type type) {
  Expr gradient = operand(node, 0);
  constexpr int64_t most = 1 << 20;
  if (node.size() != 2 || gradient.rank() != 4 || sizes.size() != 2 ||
      !isa<FloatType, IntegerType>(type) || sizes[0] < 1 || sizes[1] < 1 ||
      sizes[0] > most || sizes[1] > most || gradient.size(1) < 1 ||
      gradient.size(2) < 1)
    return node.error() << "cannot resize back";
  bool align = node.boolAttr("align_corners"),
       half = node.boolAttr("half_pixel_centers");
  ImplicitLocOpBuilder &b = node.b;
  return Back{cast(gradient, type),
              {{b, {sizes[0], {}}, {gradient.size(1), {}}, align, half},
               {b, {sizes[1], {}}, {gradient.size(2), {}}, align, half}}};
}

LogicalResult nearestGradient(Node &node) {
  auto sizes = node.integers(1);
  if (failed(sizes))
    return failure();
  auto back = backOf(node, *sizes, node.type(0).getElementType());
  if (failed(back))
    return failure();
  Expr x = back->gradient;
  for (int64_t axis : {1, 2}) {
    const Scale &scale = back->scales[axis - 1];
    x = scatterAlong(x, axis, nearestPixels(scale), scale.in.bound);
  }
  return give(node, x);
}

/// Of resizes that compute in f32, or in the f64 of the images, operand 1.
FailureOr<Back> weightedBackOf(Node &node) {
  if (node.size() != 2 || node.rank(1) != 4 ||
      !isa<FloatType>(node.type(1).getElementType()))
    return node.error() << "cannot resize back";
  Type wide = node.b.getF64Type();
  bool isWide = node.type(1).getElementType() == wide;
  return backOf(node, node.shape(1).slice(1, 2),
                isWide ? wide : node.b.getF32Type());
}

LogicalResult bilinearGradient(Node &node) {
  auto back = weightedBackOf(node);
  if (failed(back))
    return failure();
  Expr x = back->gradient;
  for (int64_t axis : {1, 2}) {
    const Scale &scale = back->scales[axis - 1];
    Expr at = scale.positions(), floor = apply<graph::FloorOp>(at);
    Expr weights = along(x, axis, cast(at - floor, x.elementType()));
    int64_t count = scale.in.bound;
    x = scatterAlong(x * (1 - weights), axis, scale.pixel(floor), count) +
        scatterAlong(x * weights, axis, scale.pixel(apply<graph::CeilOp>(at)),
                     count);
  }
  return give(node, cast(x, node.type(1).getElementType()));
}

LogicalResult bicubicGradient(Node &node) {
  auto back = weightedBackOf(node);
  if (failed(back))
    return failure();
  Expr x = back->gradient;
  for (int64_t axis : {1, 2}) {
    Taps taps[4];
    const Scale &scale = back->scales[axis - 1];
    cubicTaps(scale, taps);
    Expr sum;
    for (const Taps &tap : taps) {
      Expr weights = along(x, axis, cast(tap.weights, x.elementType()));
      Expr part = scatterAlong(x * weights, axis, tap.pixels, scale.in.bound);
      sum = sum ? sum + part : part;
    }
    x = sum;
  }
  return give(node, cast(x, node.type(1).getElementType()));
}

} // namespace

void addResizeGradientHandlers(Handlers &handlers) {
  handlers["ResizeNearestNeighborGrad"] = nearestGradient;
  handlers["ResizeBilinearGrad"] = bilinearGradient;
  handlers["ResizeBicubicGrad"] = bicubicGradient;
}

} // namespace weir::tensorflow

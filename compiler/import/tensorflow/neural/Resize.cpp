// Resized images: rows and columns of constant places and weights.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

/// How places of the result map to places of the image along one dimension.
/// TensorFlow computes in single precision, and its roundings decide which
/// pixel is taken.
struct Scale {
  int64_t in, out;
  bool alignCorners, halfPixel;

  float factor() const {
    return alignCorners && out > 1
               ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
               : static_cast<float>(in) / static_cast<float>(out);
  }
  float place(int64_t i) const {
    auto at = static_cast<float>(i);
    return halfPixel ? (at + 0.5f) * factor() - 0.5f : at * factor();
  }
  int64_t bound(int64_t i) const { return std::clamp<int64_t>(i, 0, in - 1); }
};

/// Pixels of `x` along `axis`, and their weights for each place of the result.
struct Taps {
  SmallVector<double> places, weights;
};

Expr take(Expr x, int64_t axis, ArrayRef<double> places) {
  auto count = static_cast<int64_t>(places.size());
  // All pixels in their order.
  bool all = count == x.size(axis);
  for (int64_t i = 0; all && i < count; ++i)
    all = places[i] == static_cast<double>(i);
  if (all)
    return x;
  return gather(x, constant(*x.b, x.b->getI32Type(), {count}, places), axis);
}

Expr along(Expr x, int64_t axis, ArrayRef<double> weights) {
  SmallVector<int64_t> shape(x.rank(), 1);
  shape[axis] = static_cast<int64_t>(weights.size());
  return constant(*x.b, x.elementType(), shape, weights);
}

/// Images of rank 4, their new sizes, and the mapping of both dimensions.
struct Resize {
  Expr x;
  Scale scales[2];
};

FailureOr<Resize> resizeOf(Node &node) {
  Expr x = operand(node, 0);
  auto size = node.integers(1);
  if (failed(size))
    return failure();
  if (!x || x.rank() != 4 || size->size() != 2 || (*size)[0] < 1 ||
      (*size)[1] < 1 || x.size(1) < 1 || x.size(2) < 1)
    return node.error() << "cannot resize these images";
  if ((*size)[0] > (1 << 20) || (*size)[1] > (1 << 20))
    return node.error() << "images of " << (*size)[0] << " x " << (*size)[1]
                        << " are too large";
  bool align = node.boolAttr("align_corners"),
       half = node.boolAttr("half_pixel_centers");
  return Resize{x,
                {{x.size(1), (*size)[0], align, half},
                 {x.size(2), (*size)[1], align, half}}};
}

LogicalResult nearest(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = resize->x;
  for (int64_t axis : {1, 2}) {
    const Scale &scale = resize->scales[axis - 1];
    SmallVector<double> places;
    for (int64_t i = 0; i < scale.out; ++i) {
      float at = static_cast<float>(i) + (scale.halfPixel ? 0.5f : 0.0f);
      at *= scale.factor();
      float pixel = scale.alignCorners ? std::round(at) : std::floor(at);
      places.push_back(
          static_cast<double>(scale.bound(static_cast<int64_t>(pixel))));
    }
    x = take(x, axis, places);
  }
  return give(node, x);
}

LogicalResult bilinear(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = cast(resize->x, node.b.getF32Type());
  // Columns first, as TensorFlow does.
  for (int64_t axis : {2, 1}) {
    const Scale &scale = resize->scales[axis - 1];
    SmallVector<double> low, high, weights;
    for (int64_t i = 0; i < scale.out; ++i) {
      float at = scale.place(i), floor = std::floor(at);
      low.push_back(static_cast<double>(std::max<int64_t>(int64_t(floor), 0)));
      high.push_back(static_cast<double>(scale.bound(int64_t(std::ceil(at)))));
      low.back() = std::min(low.back(), static_cast<double>(scale.in - 1));
      weights.push_back(at - floor);
    }
    Expr lower = take(x, axis, low);
    if (low == high || llvm::all_of(weights, [](double w) { return w == 0; })) {
      x = lower;
      continue;
    }
    x = lower + (take(x, axis, high) - lower) * along(x, axis, weights);
  }
  return give(node, x);
}

/// TensorFlow's weights of a cubic convolution, from a table of 1024 steps.
void cubicTaps(const Scale &scale, Taps (&taps)[4]) {
  constexpr int64_t steps = 1024;
  const double a = scale.halfPixel ? -0.5 : -0.75;
  auto inner = [&](double x) {
    return float(((a + 2) * x - (a + 3)) * x * x + 1);
  };
  auto outer = [&](double x) {
    return float(((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a);
  };
  for (int64_t i = 0; i < scale.out; ++i) {
    float at = scale.place(i);
    auto pixel = static_cast<int64_t>(std::floor(at));
    int64_t offset = std::lrintf((at - static_cast<float>(pixel)) * steps);
    double x = static_cast<double>(offset) / steps, y = 1 - x;
    float weights[4] = {outer(x), inner(x), inner(y), outer(y)};
    float total = 0;
    for (int64_t k = 0; k < 4; ++k) {
      int64_t place = pixel - 1 + k;
      // Pixels outside count for nothing where centers are half a pixel in.
      if (scale.halfPixel && place != scale.bound(place))
        weights[k] = 0;
      total += weights[k];
      taps[k].places.push_back(static_cast<double>(scale.bound(place)));
    }
    bool scaled = scale.halfPixel &&
                  std::abs(total) >= 1000 * std::numeric_limits<float>::min();
    for (int64_t k = 0; k < 4; ++k)
      taps[k].weights.push_back(scaled ? weights[k] / total : weights[k]);
  }
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
      Expr part = take(x, axis, tap.places) * along(x, axis, tap.weights);
      sum = sum ? sum + part : part;
    }
    x = sum;
  }
  return give(node, x);
}

/// Each pixel of the result is the mean of the area that it covers.
LogicalResult area(Node &node) {
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Expr x = cast(resize->x, node.b.getF32Type());
  for (int64_t axis : {1, 2}) {
    Scale scale = resize->scales[axis - 1];
    scale.halfPixel = false;
    if (scale.in * scale.out > (1 << 26))
      return node.unsupported("images of this size");
    SmallVector<double> weights(scale.in * scale.out, 0);
    float factor = scale.factor();
    for (int64_t o = 0; o < scale.out; ++o) {
      float begin = static_cast<float>(o) * factor;
      float end = static_cast<float>(o + 1) * factor;
      auto first = static_cast<int64_t>(std::floor(begin));
      auto last = static_cast<int64_t>(std::ceil(end));
      for (int64_t i = first; i < last; ++i) {
        auto left = static_cast<float>(i), right = static_cast<float>(i + 1);
        float covered = left < begin ? (right > end ? factor : right - begin)
                                     : (right > end ? end - left : 1.0f);
        weights[o * scale.in + scale.bound(i)] += covered / factor;
      }
    }
    Expr matrix =
        constant(node.b, x.elementType(), {scale.out, scale.in}, weights);
    SmallVector<int64_t> shape(x.shape());
    int64_t outer = axis == 1 ? shape[0] : shape[0] * shape[1];
    int64_t inner = axis == 1 ? shape[2] * shape[3] : shape[3];
    shape[axis] = scale.out;
    x = reshape(matmul(matrix, reshape(x, {outer, scale.in, inner})), shape);
  }
  return give(node, x);
}

} // namespace

void weir::tensorflow::addResizeHandlers(Handlers &handlers) {
  handlers["ResizeNearestNeighbor"] = nearest;
  handlers["ResizeBilinear"] = bilinear;
  handlers["ResizeBicubic"] = bicubic;
  handlers["ResizeArea"] = area;
}

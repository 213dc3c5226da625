// Resized images: along each dimension every place of the result is a weighted
// sum of places of the image, which are known at compile time.

#include "compiler/import/onnx/image/Resize.h"

#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/image/ResizeByData.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace weir::onnx {

namespace {

/// One dimension: its sizes, their quotient and the part of the image that
/// tf_crop_and_resize looks at.
struct Axis {
  int64_t dim, in, out;
  double scale, roiBegin, roiEnd;
};

/// The pixels that a place of the result is made of. All places have as many.
struct Taps {
  SmallVector<int64_t> pixels;
  SmallVector<double> weights;
  bool isOutside = false;
};

double positionOf(const Resize &resize, const Axis &axis, int64_t i) {
  auto x = static_cast<double>(i), in = static_cast<double>(axis.in);
  StringRef mode = resize.coordinates;
  double steps = axis.scale * in - 1;
  if (mode == "align_corners")
    return steps == 0 ? 0 : x * (in - 1) / steps;
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  if (mode == "tf_crop_and_resize") {
    double part = (axis.roiEnd - axis.roiBegin) * (in - 1);
    double whole = static_cast<double>(axis.out);
    return axis.roiBegin * (in - 1) +
           (axis.out == 1 ? part / 2 : x * part / (whole - 1));
  }
  if (mode == "pytorch_half_pixel" && axis.out == 1)
    return 0;
  if (mode != "half_pixel_symmetric")
    return (x + 0.5) / axis.scale - 0.5;
  // From the centers, which are one place: products of shares would be off.
  return in / 2 + (x + 0.5 - static_cast<double>(axis.out) / 2) / axis.scale -
         0.5;
}

double cubicWeight(double x, double a) {
  x = std::abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

int64_t nearestPixel(const Resize &resize, const Axis &axis, double at) {
  double floor = std::floor(at);
  bool isUp = resize.rounding == "away" && axis.scale < 1;
  if (resize.rounding == "floor" || (resize.rounding == "away" && !isUp))
    return static_cast<int64_t>(floor);
  if (resize.rounding == "ceil" || isUp)
    return static_cast<int64_t>(std::ceil(at));
  bool isHalf = at - floor == 0.5;
  if (isHalf)
    return static_cast<int64_t>(
        resize.rounding == "round_prefer_ceil" ? floor + 1 : floor);
  return static_cast<int64_t>(std::floor(at + 0.5));
}

/// How far the taps of a place reach to either side.
double supportOf(const Resize &resize, const Axis &axis) {
  double support = resize.mode == "cubic" ? 2 : 1;
  bool shrinks = resize.antialiases && axis.scale < 1;
  return shrinks ? support / axis.scale : support;
}

Taps tapsOf(const Resize &resize, const Axis &axis, int64_t i) {
  double at = positionOf(resize, axis, i);
  Taps taps;
  taps.isOutside = resize.coordinates == "tf_crop_and_resize" &&
                   (at < 0 || at > static_cast<double>(axis.in - 1));
  auto clamped = [&](int64_t pixel) {
    return std::clamp<int64_t>(pixel, 0, axis.in - 1);
  };
  if (resize.mode == "nearest") {
    taps.pixels.push_back(clamped(nearestPixel(resize, axis, at)));
    taps.weights.push_back(1);
    return taps;
  }
  double support = supportOf(resize, axis);
  double shrink = std::min(resize.antialiases ? axis.scale : 1, 1.0);
  auto first = static_cast<int64_t>(std::floor(at - support)) + 1;
  auto count = static_cast<int64_t>(2 * std::ceil(support));
  double total = 0;
  for (int64_t k = 0; k < count; ++k) {
    double distance = (static_cast<double>(first + k) - at) * shrink;
    double weight = resize.mode == "cubic"
                        ? cubicWeight(distance, resize.cubic)
                        : std::max(1 - std::abs(distance), 0.0);
    if (resize.excludesOutside && clamped(first + k) != first + k)
      weight = 0;
    taps.pixels.push_back(clamped(first + k));
    taps.weights.push_back(weight);
    total += weight;
  }
  if (resize.antialiases || resize.excludesOutside)
    for (double &weight : taps.weights)
      weight /= total;
  return taps;
}

Expr resizeAlong(const Resize &resize, const Axis &axis, Expr x) {
  ImplicitLocOpBuilder &b = *x.b;
  SmallVector<Taps> all;
  SmallVector<bool> isInside;
  for (int64_t i = 0; i < axis.out; ++i) {
    all.push_back(tapsOf(resize, axis, i));
    isInside.push_back(!all.back().isOutside);
  }
  size_t count = all.front().pixels.size();
  constexpr size_t fewTaps = 8;
  Expr y;
  if (count <= fewTaps) {
    for (size_t k = 0; k < count; ++k) {
      SmallVector<double> pixels, weights;
      for (const Taps &taps : all) {
        pixels.push_back(static_cast<double>(taps.pixels[k]));
        weights.push_back(taps.weights[k]);
      }
      if (llvm::all_of(weights, [](double w) { return w == 0; }))
        continue;
      Expr at = constant(b, b.getI64Type(), {axis.out}, pixels);
      Expr part = gather(x, at, axis.dim);
      if (llvm::any_of(weights, [](double w) { return w != 1; }))
        part = part * along(constant(b, x.elementType(), {axis.out}, weights),
                            axis.dim, x.rank());
      y = y ? y + part : part;
    }
  } else {
    SmallVector<double> matrix(axis.out * axis.in, 0);
    for (auto [i, taps] : llvm::enumerate(all))
      for (auto [pixel, weight] : llvm::zip_equal(taps.pixels, taps.weights))
        matrix[static_cast<int64_t>(i) * axis.in + pixel] += weight;
    Expr weights = constant(b, x.elementType(), {axis.out, axis.in}, matrix);
    int64_t inner = productOf(x.shape().drop_front(axis.dim + 1));
    Integers shape(x.shape());
    shape[axis.dim] = axis.out;
    int64_t outer = productOf(x.shape().take_front(axis.dim));
    y = reshape(matmul(reshape(weights, {1, axis.out, axis.in}),
                       reshape(x, {outer, axis.in, inner})),
                shape);
  }
  if (y && llvm::is_contained(isInside, false)) {
    auto type = RankedTensorType::get({axis.out}, b.getI1Type());
    Expr mask(b, b.create<graph::ConstantOp>(
                     DenseElementsAttr::get(type, ArrayRef<bool>(isInside))));
    y = select(along(mask, axis.dim, y.rank()), y,
               y.like(resize.extrapolation));
  }
  return y;
}

/// The numbers of a constant operand of floats; none where it is left out.
FailureOr<SmallVector<double>> doublesOf(Node &node, unsigned i) {
  SmallVector<double> numbers;
  if (!node.has(i))
    return numbers;
  auto value = node.constant(i);
  if (failed(value))
    return failure();
  if (!isa<FloatType>(value->getElementType()))
    return node.error() << "operand " << i << " is " << node.type(i);
  for (const APFloat &number : value->getValues<APFloat>())
    numbers.push_back(number.convertToDouble());
  return numbers;
}

/// The axes that change, from scales or sizes, one for each of `dims`.
LogicalResult axesOf(Node &node, ArrayRef<int64_t> dims,
                     ArrayRef<double> scales, ArrayRef<int64_t> sizes,
                     ArrayRef<double> roi, SmallVectorImpl<Axis> &axes) {
  size_t count = dims.size();
  if ((scales.empty() ? sizes.size() : scales.size()) != count)
    return node.error() << "has " << std::max(scales.size(), sizes.size())
                        << " scales or sizes for " << count << " dimensions";
  if (!roi.empty() && roi.size() != 2 * count)
    return node.error() << "has a region of " << roi.size() << " numbers";
  for (double edge : roi)
    if (!(std::abs(edge) < 1e9))
      return node.error() << "has a region up to " << std::to_string(edge);
  StringRef policy = node.stringAttr("keep_aspect_ratio_policy", "stretch");
  double common = 0;
  if (scales.empty() && policy != "stretch")
    for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
      double scale =
          static_cast<double>(size) / static_cast<double>(node.shape(0)[dim]);
      bool isSmaller = common == 0 || scale < common;
      common =
          isSmaller == (policy == "not_larger") || common == 0 ? scale : common;
    }
  for (size_t k = 0; k < count; ++k) {
    int64_t in = node.shape(0)[dims[k]];
    auto whole = static_cast<double>(in);
    double scale, out;
    if (!scales.empty()) {
      scale = scales[k];
      out = scaledSize(in, scale);
    } else if (common != 0) {
      scale = common;
      out = std::floor(whole * scale + 0.5);
    } else {
      out = static_cast<double>(sizes[k]);
      scale = out / whole;
    }
    constexpr double most = 1 << 24;
    if (in < 1 || !(scale > 0) || !std::isfinite(scale) || !(out >= 1) ||
        out > most || scale < 1e-6)
      return node.error() << "cannot resize " << in << " elements by "
                          << std::to_string(scale);
    Axis axis{dims[k], in, static_cast<int64_t>(out), scale, 0, 1};
    if (!roi.empty()) {
      axis.roiBegin = roi[k];
      axis.roiEnd = roi[count + k];
    }
    axes.push_back(axis);
  }
  return success();
}

LogicalResult resizeNode(Node &node, const Resize &resize,
                         ArrayRef<Axis> axes) {
  if (node.type(0).getNumElements() == 0)
    return node.error() << "cannot resize " << node.type(0);
  Expr y = resizedOperand(node, resize);
  for (const Axis &axis : axes) {
    if (axis.in == axis.out && axis.scale == 1 && !resize.crops())
      continue;
    double taps = 2 * std::ceil(supportOf(resize, axis));
    if (static_cast<double>(axis.out) * taps > (1 << 26) ||
        (taps > 8 && axis.out > (1 << 26) / axis.in))
      return node.unsupported("images of this size");
    y = y ? resizeAlong(resize, axis, y) : y;
  }
  return giveResized(node, resize, y);
}

} // namespace

FailureOr<Resize> resizeOf(Node &node) {
  if (node.op() == "Upsample") {
    StringRef mode = node.stringAttr("mode", "nearest");
    if (mode == "bilinear")
      mode = "linear";
    if (mode != "nearest" && mode != "linear")
      return node.error() << "mode '" << mode << "' is unknown";
    return Resize{mode, "asymmetric", "away", -0.75, 0, false, false};
  }
  bool isTenth = node.opset() < 11;
  Resize resize{node.stringAttr("mode", "nearest"),
                node.stringAttr("coordinate_transformation_mode",
                                isTenth ? "asymmetric" : "half_pixel"),
                isTenth ? "away"
                        : node.stringAttr("nearest_mode", "round_prefer_floor"),
                node.floatAttr("cubic_coeff_a", -0.75),
                node.floatAttr("extrapolation_value", 0),
                node.intAttr("exclude_outside") != 0,
                node.intAttr("antialias") != 0};
  static constexpr StringRef modes[] = {"nearest", "linear", "cubic"};
  static constexpr StringRef coordinates[] = {
      "half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
      "asymmetric",        "align_corners",        "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  static constexpr StringRef roundings[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (!llvm::is_contained(modes, resize.mode) ||
      !llvm::is_contained(coordinates, resize.coordinates) ||
      !(isTenth || llvm::is_contained(roundings, resize.rounding)))
    return node.error() << "cannot resize by mode '" << resize.mode << "', '"
                        << resize.coordinates << "', '" << resize.rounding
                        << "'";
  return resize;
}

FailureOr<ResizeBy> resizedBy(Node &node) {
  if (node.op() == "Upsample")
    return ResizeBy{1, false};
  unsigned at = node.opset() < 11 ? 1 : 2;
  if (!node.has(at) || node.type(at).getNumElements() == 0)
    at = 3;
  if (!node.has(at))
    return node.error() << "has neither scales nor sizes";
  return ResizeBy{at, at == 3};
}

SmallVector<double> scalesOfAttributes(Node &node) {
  SmallVector<double> scales;
  for (float scale : node.floatsAttr("scales"))
    scales.push_back(scale);
  if (scales.empty() && node.rank(0) == 4 && node.hasAttr("height_scale"))
    scales = {1, 1, node.floatAttr("height_scale"),
              node.floatAttr("width_scale")};
  return scales;
}

namespace {

LogicalResult importResize(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  int64_t rank = node.rank(0);
  auto how = resizeOf(node);
  if (failed(how))
    return failure();
  const Resize resize = *how;
  Integers given =
      node.hasAttr("axes") ? node.intsAttr("axes") : dimsFrom(0, rank);
  auto dims = node.axes(given, rank);
  if (failed(dims))
    return failure();
  auto what = resizedBy(node);
  if (failed(what))
    return failure();
  ResizeBy by = *what;
  unsigned at = by.operand;
  if (isResizedByData(node, resize, by))
    return resizeByData(node, resize, by, *dims);
  FailureOr<SmallVector<double>> roi = SmallVector<double>(), scales = roi;
  FailureOr<Integers> sizes = Integers();
  if (resize.crops())
    roi = doublesOf(node, 1);
  if (by.isSizes)
    sizes = node.integers(at);
  else
    scales = doublesOf(node, at);
  if (failed(roi) || failed(scales) || failed(sizes))
    return failure();
  SmallVector<Axis> axes;
  if (failed(axesOf(node, *dims, *scales, *sizes, *roi, axes)))
    return failure();
  return resizeNode(node, resize, axes);
}

/// What Resize was before version 10.
LogicalResult importUpsample(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto how = resizeOf(node);
  if (failed(how))
    return failure();
  const Resize resize = *how;
  ResizeBy by{1, false};
  if (node.has(1) && isResizedByData(node, resize, by))
    return resizeByData(node, resize, by, dimsFrom(0, node.rank(0)));
  SmallVector<double> scales;
  if (node.has(1)) {
    auto given = doublesOf(node, 1);
    if (failed(given))
      return failure();
    scales = *given;
  } else {
    scales = scalesOfAttributes(node);
  }
  SmallVector<Axis> axes;
  if (failed(axesOf(node, dimsFrom(0, node.rank(0)), scales, {}, {}, axes)))
    return failure();
  return resizeNode(node, resize, axes);
}

} // namespace

Expr resizedOperand(Node &node, const Resize &resize) {
  Expr x = operand(node, 0);
  if (resize.mode == "nearest")
    return x;
  return isa<FloatType>(x.elementType()) ? widened(x)
                                         : cast(x, node.b.getF32Type());
}

LogicalResult giveResized(Node &node, const Resize &resize, Expr y) {
  Type element = node.element(0);
  if (y && resize.mode != "nearest" && isa<IntegerType>(element))
    y = apply<graph::TruncOp>(y);
  return give(node, cast(y, element));
}

void addResizeHandlers(Handlers &handlers) {
  handlers["Resize"] = importResize;
  handlers["Upsample"] = importUpsample;
}

} // namespace weir::onnx

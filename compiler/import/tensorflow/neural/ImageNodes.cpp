// Colors of images, and crops of them.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Three tensors, the channels of images.
struct Color {
  Expr a, b, c;

  static Color of(Expr x) {
    if (!x || x.rank() < 1 || x.shape().back() != 3 ||
        !isa<FloatType>(x.elementType()))
      return {};
    int64_t last = x.rank() - 1;
    return {slice(x, last, 0, 1), slice(x, last, 1, 1), slice(x, last, 2, 1)};
  }
  Expr joined() const { return a ? concat({a, b, c}, a.rank() - 1) : Expr(); }
};

template <typename Op>
Expr compare(Expr x, Expr y) {
  return align(x, y) ? Expr(*x.b, make<Op>(*x.b, x.value, y.value)) : Expr();
}

/// Hue, saturation and value of red, green and blue.
Color toHsv(Color rgb) {
  Expr r = rgb.a, g = rgb.b, b = rgb.c;
  Expr value = maximum(r, maximum(g, b));
  Expr range = value - minimum(r, minimum(g, b));
  if (!value || !range)
    return {};
  Expr zero = value.like(0);
  Expr saturation =
      select(compare<graph::LessOp>(zero, value), range / value, zero);
  Expr norm = value.like(1) / (range * 6);
  Expr hue = select(compare<graph::EqualOp>(r, value), norm * (g - b),
                    select(compare<graph::EqualOp>(g, value),
                           norm * (b - r) + 2.0 / 6, norm * (r - g) + 4.0 / 6));
  hue = select(compare<graph::LessOp>(zero, range), hue, zero);
  hue = select(compare<graph::LessOp>(hue, zero), hue + 1, hue);
  return {hue, saturation, value};
}

/// How far each channel is from the smallest to the largest, for a hue.
Color sharesOf(Expr hue) {
  hue = hue * 6;
  auto away = [&](double center) { return apply<graph::AbsOp>(hue - center); };
  return {clamp(away(3) - 1, 0, 1), clamp(2 - away(2), 0, 1),
          clamp(2 - away(4), 0, 1)};
}

Color toRgb(Color hsv) {
  auto mixed = [&](Expr share) { return (1 - hsv.b + hsv.b * share) * hsv.c; };
  Color shares = sharesOf(hsv.a);
  return {mixed(shares.a), mixed(shares.b), mixed(shares.c)};
}

LogicalResult rgbToHsv(Node &node) {
  return give(node, toHsv(Color::of(operand(node, 0))).joined());
}

LogicalResult hsvToRgb(Node &node) {
  return give(node, toRgb(Color::of(operand(node, 0))).joined());
}

/// The images in single precision; TensorFlow adjusts halves in it too.
Expr imagesOf(Node &node) {
  Expr x = operand(node, 0);
  return x && isa<FloatType>(x.elementType()) && !x.elementType().isF64()
             ? cast(x, node.b.getF32Type())
             : x;
}

/// A scalar operand in the images' element type.
Expr factorOf(Node &node, unsigned i, Expr x) {
  Expr factor = operand(node, i);
  return x && factor ? cast(factor, x.elementType()) : Expr();
}

/// Only the hue changes: each pixel keeps its largest and smallest channel,
/// which may lie outside of what saturation and value can say.
LogicalResult adjustHue(Node &node) {
  Expr x = imagesOf(node);
  Color rgb = Color::of(x);
  Expr high = maximum(rgb.a, maximum(rgb.b, rgb.c)),
       low = minimum(rgb.a, minimum(rgb.b, rgb.c));
  Expr turned = toHsv(rgb).a + factorOf(node, 1, x);
  Color shares = sharesOf(turned - apply<graph::FloorOp>(turned));
  auto mixed = [&](Expr share) { return low + (high - low) * share; };
  Expr result =
      Color{mixed(shares.a), mixed(shares.b), mixed(shares.c)}.joined();
  return give(node,
              result ? cast(result, node.type(0).getElementType()) : result);
}

LogicalResult adjustSaturation(Node &node) {
  Expr x = imagesOf(node);
  Color hsv = toHsv(Color::of(x));
  hsv.b = clamp(hsv.b * factorOf(node, 1, x), 0, 1);
  Expr result = toRgb(hsv).joined();
  return give(node,
              result ? cast(result, node.type(0).getElementType()) : result);
}

/// Away from the mean of each channel of each image.
LogicalResult adjustContrast(Node &node) {
  Expr x = imagesOf(node);
  if (!x || x.rank() < 3 || !isa<FloatType>(x.elementType()))
    return give(node, Expr());
  int64_t rows = x.rank() - 3, columns = x.rank() - 2;
  Traced images = node.traced(0);
  images.value = x.value;
  Sizes sizes = sizesOf(images);
  Expr inside = masked(node.b, images, x.like(0), {rows, columns});
  Expr count = exactly(node.b, sizes[rows]) * exactly(node.b, sizes[columns]);
  Expr center = sum(inside, {rows, columns}, /*keep=*/true) /
                cast(count, x.elementType());
  Expr result = (x - center) * factorOf(node, 1, x) + center;
  if (result)
    result = cast(result, node.type(0).getElementType());
  return failed(give(node, result)) ? failure() : giveSizes(node, 0, sizes);
}

/// Every pixel by itself.
LogicalResult boundedPixels(Node &node) {
  if (node.size() == 0 || node.rank(0) < 1 ||
      !sizesOf(node.traced(0)).back().isKnown())
    return node.unsupported("channels whose number is known only at run time");
  if (failed(runOnPaddedBuffers(node, {})))
    return failure();
  return giveSizes(node, 0, sizesOf(node.traced(0)));
}

/// Places of samples along one side of boxes [n, 2]: n x count.
Expr samples(Expr low, Expr high, int64_t extent, int64_t count) {
  double last = static_cast<double>(extent - 1);
  if (count == 1)
    return (low + high) * (0.5 * last);
  SmallVector<double> steps;
  for (int64_t i = 0; i < count; ++i)
    steps.push_back(static_cast<double>(i));
  Expr scale = (high - low) * last / static_cast<double>(count - 1);
  return low * last +
         scale * constant(*low.b, low.elementType(), {1, count}, steps);
}

/// Operands: images, boxes [n, 4] as y1, x1, y2, x2 in parts of the image, the
/// image of each box, and the size of the crops.
LogicalResult cropAndResize(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  Expr images = operand(node, 0), boxes = operand(node, 1),
       which = operand(node, 2);
  auto size = node.integers(3);
  if (failed(size))
    return failure();
  if (!images || !boxes || !which || images.rank() != 4 || boxes.rank() != 2 ||
      boxes.size(1) != 4 || which.rank() != 1 ||
      which.size(0) != boxes.size(0) || size->size() != 2 || (*size)[0] < 1 ||
      (*size)[1] < 1 || (*size)[0] > (1 << 20) || (*size)[1] > (1 << 20) ||
      images.type().getNumElements() == 0)
    return give(node, Expr());
  bool nearest = node.stringAttr("method", "bilinear") == "nearest";
  Expr zero = which.like(0), limit = which.like(double(images.size(0)));
  Expr valid =
      apply<graph::LogicalAndOp>(compare<graph::LessEqualOp>(zero, which),
                                 compare<graph::LessOp>(which, limit));
  if (failed(check(node, valid, "a box is of no image")))
    return failure();

  int64_t count = boxes.size(0), rows = (*size)[0], columns = (*size)[1],
          height = images.size(1), width = images.size(2);
  auto side = [&](int64_t i) { return slice(boxes, 1, i, 1); };
  Expr y = reshape(samples(side(0), side(2), height, rows), {count, rows, 1});
  Expr x =
      reshape(samples(side(1), side(3), width, columns), {count, 1, columns});
  auto within = [&](Expr at, int64_t extent) {
    return apply<graph::LogicalAndOp>(
        compare<graph::LessEqualOp>(at.like(0), at),
        compare<graph::LessEqualOp>(at, at.like(double(extent - 1))));
  };
  Expr inside = apply<graph::LogicalAndOp>(within(y, height), within(x, width));
  if (!inside)
    return give(node, Expr());
  inside = reshape(inside, {count, rows, columns, 1});

  Type i64 = b.getI64Type();
  Expr pixels = reshape(cast(images, b.getF32Type()),
                        {images.size(0) * height * width, images.size(3)});
  Expr first =
      reshape(cast(which, i64), {count, 1, 1}) * static_cast<double>(height);
  auto position = [&](Expr at, int64_t extent) {
    return cast(clamp(at, 0, static_cast<double>(extent - 1)), i64);
  };
  auto at = [&](Expr row, Expr column) {
    Expr index = (first + position(row, height)) * static_cast<double>(width) +
                 position(column, width);
    return gather(pixels, index, 0);
  };
  Expr result;
  if (nearest) {
    // Halves round away from zero.
    result = at(apply<graph::FloorOp>(y + 0.5), apply<graph::FloorOp>(x + 0.5));
  } else {
    Expr top = apply<graph::FloorOp>(y), bottom = apply<graph::CeilOp>(y);
    Expr left = apply<graph::FloorOp>(x), right = apply<graph::CeilOp>(x);
    Expr across = reshape(x - left, {count, 1, columns, 1});
    Expr down = reshape(y - top, {count, rows, 1, 1});
    Expr topLeft = at(top, left), bottomLeft = at(bottom, left);
    Expr upper = topLeft + (at(top, right) - topLeft) * across;
    Expr lower = bottomLeft + (at(bottom, right) - bottomLeft) * across;
    result = upper + (lower - upper) * down;
  }
  if (!result)
    return give(node, result);
  Expr outside = result.like(node.floatAttr("extrapolation_value", 0));
  return give(node, select(inside, result, outside));
}

} // namespace

void addImageHandlers(Handlers &handlers) {
  handlers["RGBToHSV"] = rgbToHsv;
  handlers["HSVToRGB"] = hsvToRgb;
  handlers["AdjustHue"] = adjustHue;
  handlers["AdjustSaturation"] = adjustSaturation;
  handlers["AdjustContrastv2"] = adjustContrast;
  handlers["CropAndResize"] = cropAndResize;
  addDetectionHandlers(handlers);
  addResizeHandlers(handlers);
}

void addBoundedImageHandlers(BoundedHandlers &handlers) {
  for (const char *name :
       {"RGBToHSV", "HSVToRGB", "AdjustHue", "AdjustSaturation"})
    handlers[name] = boundedPixels;
  handlers["AdjustContrastv2"] = adjustContrast;
  addBoundedResizeHandlers(handlers);
}

} // namespace weir::tensorflow

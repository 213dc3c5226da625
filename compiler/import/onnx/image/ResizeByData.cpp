// Resized images whose scales, or the part of them that is looked at, only the
// run knows: places and weights are computed by the run, in f64, as Resize.cpp
// computes them for constants. The sizes are those that the model says.

#include "compiler/import/onnx/image/ResizeByData.h"

#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/image/Resize.h"
#include "compiler/import/onnx/shape/Gathers.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace weir::onnx {
namespace {

Expr floorOf(Expr x) { return apply<graph::FloorOp>(x); }

/// `one` where the result has one element along the axis, else `more`.
Expr whereOne(const DynamicAxis &axis, Expr one, Expr more) {
  if (auto known =
          axis.out.isKnown() ? std::optional(axis.out.bound) : std::nullopt)
    return *known == 1 ? one : more;
  return select(equal(axis.made, axis.made.like(1)), one, more);
}

/// The places in the image of all places of the result, f64 of rank 1.
Expr positionsOf(const Resize &resize, const DynamicAxis &axis) {
  ImplicitLocOpBuilder &b = *axis.scale.b;
  Expr x = counted(b, axis.out.bound, b.getF64Type());
  Expr in = axis.whole;
  StringRef mode = resize.coordinates;
  if (resize.crops()) {
    Expr part = (axis.end - axis.begin) * (in - 1);
    Expr steps = maximum(axis.made - 1, axis.made.like(1));
    return axis.begin * (in - 1) +
           whereOne(axis, part / 2.0 + x, x * part / steps);
  }
  if (mode == "align_corners") {
    Expr steps = axis.scale * in - 1, zero = steps.like(0);
    // One place is the first.
    Expr isOne = equal(steps, zero);
    return select(isOne, zero,
                  x * (in - 1) / select(isOne, steps.like(1), steps));
  }
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  Expr half = (x + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return whereOne(axis, x, half);
  if (mode != "half_pixel_symmetric")
    return half;
  return (x + 0.5 - axis.made / 2.0) / axis.scale + (in / 2.0 - 0.5);
}

Expr nearestPixels(const Resize &resize, const DynamicAxis &axis, Expr at) {
  if (resize.rounding == "away")
    return select(less(axis.scale, axis.scale.like(1)),
                  apply<graph::CeilOp>(at), floorOf(at));
  if (resize.rounding == "floor")
    return floorOf(at);
  if (resize.rounding == "ceil")
    return apply<graph::CeilOp>(at);
  return resize.rounding == "round_prefer_ceil"
             ? floorOf(at + 0.5)
             : apply<graph::CeilOp>(at - 0.5);
}

Expr weightsAt(const Resize &resize, Expr distance) {
  Expr x = apply<graph::AbsOp>(distance);
  if (resize.mode != "cubic")
    return maximum(1 - x, x.like(0));
  double a = resize.cubic;
  Expr near = (x * (a + 2) - (a + 3)) * x * x + 1;
  Expr far = ((x * a - 5 * a) * x + 8 * a) * x - 4 * a;
  return select(less(x, x.like(1)), near,
                select(less(x, x.like(2)), far, x.like(0)));
}

/// The pixels at `places` of a dimension, of which those outside are its ends.
Expr pixelsAt(Expr x, const DynamicAxis &axis, Expr positions) {
  Expr inside = minimum(maximum(positions, positions.like(0)), axis.whole - 1);
  return gather(x, cast(inside, x.b->getI64Type()), axis.dim);
}

} // namespace

double scaledSize(int64_t size, double scale) {
  return std::floor(static_cast<float>(size) * static_cast<float>(scale));
}

Expr scaledSize(Expr size, Expr scale) {
  if (!size || !scale)
    return {};
  Type f32 = size.b->getF32Type();
  return cast(floorOf(cast(size, f32) * cast(scale, f32)), scale.elementType());
}

int64_t dynamicTaps(const Resize &resize, const DynamicAxis &axis) {
  double support = resize.mode == "cubic" ? 2 : 1;
  if (resize.antialiases && axis.least < 1)
    support /= axis.least;
  return 2 * static_cast<int64_t>(std::ceil(std::min(support, 1e6)));
}

namespace {

Expr weighted(const Resize &resize, const DynamicAxis &axis, Expr at, Expr x) {
  int64_t count = dynamicTaps(resize, axis);
  Expr first = floorOf(at) + static_cast<double>(1 - count / 2);
  Expr shrink = at.like(1);
  if (resize.antialiases)
    shrink = minimum(axis.scale, shrink);
  SmallVector<Expr> pixels, weights;
  Expr total;
  for (int64_t k = 0; k < count; ++k) {
    pixels.push_back(first + static_cast<double>(k));
    Expr weight = weightsAt(resize, (pixels.back() - at) * shrink);
    if (resize.excludesOutside)
      weight = select(inRange(pixels.back(), at.like(0), axis.whole), weight,
                      at.like(0));
    weights.push_back(weight);
    total = total ? total + weight : weight;
  }
  Expr y;
  for (auto [position, weight] : llvm::zip_equal(pixels, weights)) {
    if (resize.antialiases || resize.excludesOutside)
      weight = weight / total;
    Expr part = pixelsAt(x, axis, position) *
                along(cast(weight, x.elementType()), axis.dim, x.rank());
    y = y ? y + part : part;
  }
  return y;
}

} // namespace

Expr resizeAlong(const Resize &resize, const DynamicAxis &axis, Expr x) {
  Expr at = positionsOf(resize, axis);
  if (!at || !x)
    return {};
  Expr y = resize.mode == "nearest"
               ? pixelsAt(x, axis, nearestPixels(resize, axis, at))
               : weighted(resize, axis, at, x);
  if (!resize.crops() || !y)
    return y;
  Expr inside = both(apply<graph::GreaterEqualOp>(at, at.like(0)),
                     apply<graph::LessEqualOp>(at, axis.whole - 1));
  return select(along(inside, axis.dim, y.rank()), y,
                y.like(resize.extrapolation));
}

namespace {

/// The scale of every dimension and, in `checks`, what makes the model's sizes
/// true.
LogicalResult readScales(Node &node, ResizeBy by, ArrayRef<int64_t> dims,
                         ArrayRef<int64_t> shape,
                         SmallVectorImpl<DynamicAxis> &axes) {
  Type f64 = node.b.getF64Type();
  Expr given = cast(operand(node, by.operand), f64);
  auto count = static_cast<int64_t>(dims.size());
  if (!given || given.shape() != ArrayRef<int64_t>{count})
    return node.error() << "has " << node.type(by.operand) << " for " << count
                        << " dimensions";
  StringRef policy = node.stringAttr("keep_aspect_ratio_policy", "stretch");
  bool keepsAspect = by.isSizes && policy != "stretch";
  Expr common;
  for (int64_t k = 0; k < count; ++k) {
    DynamicAxis axis;
    axis.dim = dims[k];
    axis.in = {node.shape(0)[axis.dim], {}};
    axis.out = {shape[axis.dim], {}};
    auto in = static_cast<double>(axis.in.bound),
         out = static_cast<double>(axis.out.bound);
    axis.whole = onnx::filled(node.b, {}, f64, in);
    axis.made = onnx::filled(node.b, {}, f64, out);
    Expr number = reshape(slice(given, 0, k, 1), {});
    axis.scale = by.isSizes ? number / in : number;
    axis.least = (keepsAspect ? out - 0.5 : out) / in;
    if (keepsAspect && common)
      common = policy == "not_larger" ? minimum(common, axis.scale)
                                      : maximum(common, axis.scale);
    else
      common = axis.scale;
    axes.push_back(axis);
  }
  for (DynamicAxis &axis : axes) {
    auto in = static_cast<double>(axis.in.bound),
         out = static_cast<double>(axis.out.bound);
    if (keepsAspect)
      axis.scale = common;
    Expr size = axis.scale * in;
    if (keepsAspect)
      size = floorOf(size + 0.5);
    else if (!by.isSizes)
      size = scaledSize(axis.whole, axis.scale);
    if (failed(check(node, equal(size, size.like(out)),
                     "it is resized to other sizes than the model says")))
      return failure();
    if (by.isSizes && !keepsAspect)
      axis.scale = size.like(out / in);
  }
  return success();
}

} // namespace

LogicalResult readRegions(Node &node, MutableArrayRef<DynamicAxis> axes) {
  auto count = static_cast<int64_t>(axes.size());
  if (!node.has(1) || node.shape(1) != ArrayRef<int64_t>{2 * count} ||
      !isa<FloatType>(node.element(1)))
    return node.error() << "has no region of " << 2 * count << " numbers";
  Expr region = cast(operand(node, 1), node.b.getF64Type());
  for (int64_t k = 0; k < count; ++k) {
    axes[k].begin = reshape(slice(region, 0, k, 1), {});
    axes[k].end = reshape(slice(region, 0, count + k, 1), {});
  }
  return success();
}

namespace {

/// Whether nothing changes along a dimension, which the run may have to check.
bool isKept(Node &node, const Resize &resize, ResizeBy by,
            const DynamicAxis &axis) {
  if (resize.crops() || axis.in.bound != axis.out.bound)
    return false;
  return by.isSizes || axis.in.bound == 1;
}

} // namespace

bool isResizedByData(Node &node, const Resize &resize, ResizeBy by) {
  bool hasDynamicRegion = resize.crops() && node.has(1) && !node.tryConstant(1);
  return hasDynamicRegion || !node.tryConstant(by.operand);
}

LogicalResult resizeByData(Node &node, const Resize &resize, ResizeBy by,
                           ArrayRef<int64_t> dims) {
  auto shape = promisedShape(node, 0, "operand " + Twine(by.operand));
  if (failed(shape))
    return failure();
  if (static_cast<int64_t>(shape->size()) != node.rank(0) ||
      node.type(0).getNumElements() == 0 || llvm::is_contained(*shape, 0))
    return node.error() << "cannot resize " << node.type(0) << " to [" << *shape
                        << "]";
  for (int64_t d = 0; d < node.rank(0); ++d)
    if (!llvm::is_contained(dims, d) && (*shape)[d] != node.shape(0)[d])
      return node.error() << "cannot resize " << node.type(0) << " to ["
                          << *shape << "]";
  SmallVector<DynamicAxis> axes;
  if (failed(readScales(node, by, dims, *shape, axes)) ||
      (resize.crops() && failed(readRegions(node, axes))))
    return failure();
  Expr y = resizedOperand(node, resize);
  for (const DynamicAxis &axis : axes) {
    if (isKept(node, resize, by, axis))
      continue;
    // Nobody scales the batch or the channels; that would be a pass over all.
    bool isOuter =
        axis.dim < 2 && node.rank(0) > 2 && axis.in.bound == axis.out.bound;
    if (isOuter && !resize.crops()) {
      if (failed(check(node, equal(axis.scale, axis.scale.like(1)),
                       "it scales a batch or channels without changing their "
                       "number")))
        return failure();
      continue;
    }
    if (resize.mode != "nearest" && dynamicTaps(resize, axis) > maxTaps)
      return node.unsupported("scales of " + Twine(axis.in.bound) + " to " +
                              Twine(axis.out.bound) +
                              " elements that only the run knows");
    y = resizeAlong(resize, axis, y);
  }
  return giveResized(node, resize, y);
}

} // namespace weir::onnx

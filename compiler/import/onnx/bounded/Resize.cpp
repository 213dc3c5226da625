// Images whose size is known only at run time, resized: the sizes of results,
// and the scales, are computed by the run.

#include "compiler/import/onnx/image/Resize.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/image/ResizeByData.h"

#include "dialects/graph/Elementwise.h"

#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace weir::onnx {
namespace {

/// The dimensions that a node resizes, one for each scale or size.
class Axes {
public:
  Axes(Node &node, const Resize &resize)
      : node(node), b(node.b), resize(resize) {}

  LogicalResult read();

  SmallVector<DynamicAxis> all;

private:
  Expr wide(Size size) { return cast(exactly(b, size), b.getF64Type()); }
  LogicalResult readSizes(unsigned operand);
  LogicalResult readScales(ArrayRef<Expr> scales);
  /// The next axis' size in the result, scalar i64 and at most `cap`.
  void makes(Expr size, double cap);
  /// Gives the axes these sizes, which share the room that nothing bounds.
  LogicalResult settle();

  Node &node;
  ImplicitLocOpBuilder &b;
  const Resize &resize;
  SmallVector<Value> sizes;
  SmallVector<int64_t> caps;
};

void Axes::makes(Expr size, double cap) {
  sizes.push_back(size.value);
  caps.push_back(static_cast<int64_t>(std::min(cap, std::ldexp(1.0, 40))));
}

LogicalResult Axes::settle() {
  auto out = sizesFrom(node, sizes, caps);
  if (failed(out))
    return failure();
  for (auto [axis, size] : llvm::zip_equal(all, *out)) {
    axis.out = size;
    axis.made = wide(size);
  }
  return success();
}

LogicalResult Axes::readSizes(unsigned operand) {
  auto wanted = listedScalars(node, operand);
  if (failed(wanted))
    return failure();
  if (wanted->size() != all.size())
    return node.error() << "has " << wanted->size() << " sizes for "
                        << all.size() << " dimensions";
  constexpr double none = HUGE_VAL;
  StringRef policy = node.stringAttr("keep_aspect_ratio_policy", "stretch");
  bool stretches = policy == "stretch", isInside = policy == "not_larger";
  Expr common;
  for (auto [axis, size] : llvm::zip_equal(all, *wanted)) {
    Expr scale = cast(Expr(b, size), b.getF64Type()) / axis.whole;
    if (stretches)
      makes(Expr(b, size), none);
    common = !common    ? scale
             : isInside ? minimum(common, scale)
                        : maximum(common, scale);
  }
  for (auto [axis, size] : llvm::zip_equal(all, *wanted)) {
    axis.scale = common;
    if (stretches)
      continue;
    Expr made = apply<graph::FloorOp>(common * axis.whole + 0.5);
    makes(cast(made, b.getI64Type()), isInside ? intervalOf(size).high : none);
  }
  if (failed(settle()))
    return failure();
  for (DynamicAxis &axis : all)
    if (stretches)
      axis.scale = axis.made / axis.whole;
  return success();
}

LogicalResult Axes::readScales(ArrayRef<Expr> scales) {
  if (scales.size() != all.size())
    return node.error() << "has " << scales.size() << " scales for "
                        << all.size() << " dimensions";
  for (auto [axis, scale] : llvm::zip_equal(all, scales)) {
    axis.scale = scale;
    DenseElementsAttr known;
    if (!matchPattern(scale.value, m_Constant(&known))) {
      // Nobody scales the batch or the channels.
      if (axis.dim < 2 && node.rank(0) > 2 && !resize.crops()) {
        require(node, equal(scale, scale.like(1)),
                "it scales a batch or channels by a number that is known only "
                "at run time");
        axis.scale = scale.like(1);
        makes(exactly(b, axis.in), static_cast<double>(axis.in.bound));
        continue;
      }
      Expr made = scaledSize(axis.whole, scale);
      makes(cast(made, b.getI64Type()), HUGE_VAL);
      continue;
    }
    double by = known.getSplatValue<APFloat>().convertToDouble();
    double most = scaledSize(axis.in.bound, by);
    if (!(by > 0) || !(most < std::ldexp(1.0, 24)))
      return node.error() << "cannot resize " << axis.in.bound
                          << " elements by " << std::to_string(by);
    axis.least = by;
    // A whole number of times a size is known as such.
    Expr made = by == std::floor(by)
                    ? exactly(b, axis.in) * number(b, static_cast<int64_t>(by))
                    : cast(scaledSize(axis.whole, scale), b.getI64Type());
    if (by == 1)
      made = exactly(b, axis.in);
    makes(made, most);
  }
  return settle();
}

LogicalResult Axes::read() {
  int64_t rank = node.rank(0);
  Integers given =
      node.hasAttr("axes") ? node.intsAttr("axes") : dimsFrom(0, rank);
  auto dims = node.axes(given, rank);
  if (failed(dims))
    return failure();
  Sizes from = sizesOf(node.traced(0));
  for (int64_t dim : *dims) {
    DynamicAxis axis;
    axis.dim = dim;
    axis.in = from[dim];
    axis.whole = wide(axis.in);
    all.push_back(axis);
  }
  Type f64 = b.getF64Type();
  SmallVector<Expr> scales;
  if (node.op() == "Upsample" && !node.has(1)) {
    for (double scale : scalesOfAttributes(node))
      scales.push_back(constant(b, f64, {}, {scale}));
  } else {
    auto by = resizedBy(node);
    if (failed(by))
      return failure();
    if (by->isSizes)
      return readSizes(by->operand);
    if (node.rank(by->operand) != 1 || node.traced(by->operand).isBounded() ||
        !isOf(node.element(by->operand), Elements::floats))
      return node.error() << "has scales " << node.type(by->operand);
    Expr list = operand(node, by->operand);
    for (int64_t i = 0; i < list.size(0); ++i)
      scales.push_back(cast(reshape(slice(list, 0, i, 1), {}), f64));
  }
  return readScales(scales);
}

LogicalResult importResize(Node &node) {
  if (!node.size() || !node.operand(0))
    return node.error() << "lacks operand 0";
  auto resize = resizeOf(node);
  if (failed(resize))
    return failure();
  Axes axes(node, *resize);
  if (failed(axes.read()))
    return failure();
  if (resize->crops() && failed(readRegions(node, axes.all)))
    return failure();
  Expr y = resizedOperand(node, *resize);
  Sizes sizes = sizesOf(node.traced(0));
  for (const DynamicAxis &axis : axes.all) {
    bool isKept = axis.in == axis.out && !resize->crops();
    sizes[axis.dim] = axis.out;
    if (isKept)
      continue;
    if (resize->antialiases && resize->mode != "nearest" &&
        (axis.least <= 0 || dynamicTaps(*resize, axis) > maxTaps))
      return node.unsupported("antialias with scales that are known only at "
                              "run time");
    if (axis.in.bound == 0 || axis.out.bound == 0)
      return node.error() << "cannot resize " << node.type(0);
    y = y ? resizeAlong(*resize, axis, y) : y;
  }
  if (failed(giveResized(node, *resize, y)))
    return failure();
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedResizeHandlers(BoundedHandlers &handlers) {
  handlers["Resize"] = {importResize, {2, 3}, true};
  handlers["Upsample"] = {importResize, {1}, true};
}

} // namespace weir::onnx

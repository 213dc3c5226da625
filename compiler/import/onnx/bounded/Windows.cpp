// Convolutions and pools over images whose size is known only at run time: the
// nodes' own handlers on places in which nothing counts beyond the images.

#include "compiler/import/bounded/Windows.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/neural/Windows.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// A dynamic dimension of the images.
struct DynamicSide {
  Along along;
  /// The number of the spatial dimension.
  int64_t i = 0;
  int64_t window = 1, dilation = 1;
  /// Margins of the place that the node's own handler works on, those that
  /// `pads` says, and elements of the place.
  int64_t low = 0, high = 0, padsLow = 0, padsHigh = 0, extent = 0;
  bool isSame = false, isCeil = false;

  int64_t margins() const { return low + high; }
  Expr count(ImplicitLocOpBuilder &b) const;
  /// Where the images begin in the place.
  Expr begin(ImplicitLocOpBuilder &b) const {
    return isSame && along.maxShift() > 0 ? along.shift(b) : number(b, 0);
  }
};

Expr DynamicSide::count(ImplicitLocOpBuilder &b) const {
  Expr n = exactly(b, along.size);
  if (isSame)
    return along.stride == 1
               ? n
               : apply<graph::FloorDivOp>(n + number(b, along.stride - 1),
                                          number(b, along.stride));
  int64_t around = padsLow + padsHigh;
  if (along.stride == 1 && around == along.reach - 1)
    return n;
  if (!isCeil)
    return along.count(b, around);
  // No window begins behind the images and what lies before them.
  Expr stride = number(b, along.stride);
  auto steps = [&](Expr positions) {
    return apply<graph::FloorDivOp>(positions + number(b, along.stride - 1),
                                    stride);
  };
  Expr counted = steps(n + number(b, around - along.reach)) + number(b, 1);
  Expr fits = apply<graph::GreaterEqualOp>(n + number(b, around - along.reach),
                                           number(b, 0));
  counted = minimum(counted, steps(n + number(b, padsLow)));
  return maximum(select(fits, counted, number(b, 0)), number(b, 0));
}

struct DynamicImages {
  SmallVector<DynamicSide> sides;
  /// Operand 0 for the node's own handler.
  Expr position;
};

/// Whether dimensions after the channels are open.
bool hasDynamicImages(Node &node) {
  Sizes sizes = sizesOf(node.traced(0));
  return sizes.size() > 2 &&
         llvm::any_of(ArrayRef(sizes).drop_front(2),
                      [](const Size &size) { return !size.isKnown(); });
}

/// The dynamic dimensions of operand 0, under windows of `size`, with `fill` as
/// the padding of the images.
FailureOr<DynamicImages> imagesOf(Node &node, ArrayRef<int64_t> size,
                                  Expr fill) {
  DynamicImages images;
  Sizes sizes = sizesOf(node.traced(0));
  if (!sizes[1].isKnown()) {
    (void)node.unsupported("channels whose number is known only at run time");
    return failure();
  }
  StringRef pads = node.stringAttr("auto_pad", "NOTSET");
  SmallVector<Along> reaching;
  Integers extents(node.shape(0).drop_front(2));
  auto spatial = static_cast<int64_t>(extents.size());
  auto strides = spatialAttr(node, "strides", spatial, 1);
  auto dilations = spatialAttr(node, "dilations", spatial, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  bool isSame = pads.starts_with("SAME");
  for (int64_t i = 0; i < spatial; ++i) {
    const Size &own = sizes[2 + i];
    int64_t stride = (*strides)[i], dilation = (*dilations)[i];
    if (own.isKnown() || stride < 1 || dilation < 1 || size[i] < 1)
      continue;
    DynamicSide side;
    side.along = {2 + i, (size[i] - 1) * dilation + 1, stride, own,
                  pads == "SAME_LOWER"};
    side.i = i;
    side.window = size[i];
    side.dilation = dilation;
    side.isSame = isSame;
    side.isCeil = node.intAttr("ceil_mode") != 0 && !isSame;
    // Whole strides must not make the place much larger than it is.
    if (isSame && stride > std::max<int64_t>(own.bound, 1) &&
        side.along.maxShift() > 0) {
      (void)node.unsupported("strides of " + Twine(stride) +
                             " over images of at most " + Twine(own.bound));
      return failure();
    }
    if (isSame && side.along.maxShift() > 0)
      extents[i] = llvm::divideCeil(own.bound, stride) * stride;
    reaching.push_back(side.along);
    images.sides.push_back(side);
  }
  Integers beyond;
  auto windows = windowsOf(node, extents, size, &beyond);
  if (failed(windows))
    return failure();
  for (DynamicSide &side : images.sides) {
    side.low = windows->low[side.i];
    side.high = windows->high[side.i];
    side.padsLow = side.low;
    side.padsHigh = side.high - beyond[side.i];
    side.extent = extents[side.i];
  }
  // Also for windows within the images: a kernel may compute neighbouring
  // windows from sums of what any of them reads.
  images.position = filledBehind(operand(node, 0), sizes, reaching, fill);
  if (isSame)
    for (const DynamicSide &side : images.sides)
      images.position = shifted(images.position, side.along, fill);
  return images;
}

LogicalResult runOn(Node &node, const DynamicImages &images) {
  return runOnPaddedBuffers(node, {images.position.value});
}

/// How many windows there are.
LogicalResult giveCounts(Node &node, const DynamicImages &images,
                         unsigned result = 0) {
  Sizes sizes = sizesOf(node.traced(0));
  ArrayRef<int64_t> shape = typeOf(node.given[result].value).getShape();
  for (auto [dim, size] : llvm::enumerate(sizes))
    size.bound = shape[dim];
  for (const DynamicSide &side : images.sides)
    sizes[side.along.dim].exact = side.count(node.b).value;
  writeSizes(node.tracing.report, node.given[result].value, sizes);
  return giveSizes(node, result, sizes);
}

/// Operand 1 holds the filters but for QLinearConv; integers count from a zero
/// point.
LogicalResult importConvolution(Node &node) {
  bool isQuantized = node.op() == "QLinearConv";
  unsigned filter = isQuantized ? 3 : 1;
  if (node.size() <= filter || !node.operand(0) || !node.operand(filter) ||
      !hasDynamicImages(node))
    return giveInferred(node);
  if (node.traced(filter).isBounded())
    return node.unsupported("a filter whose size is known only at run time");
  if (node.rank(filter) != node.rank(0))
    return node.error() << "has filters " << node.type(filter) << " for "
                        << node.type(0);
  Expr fill = operand(node, 0).like(0);
  bool hasPoint = node.op() != "Conv" && node.has(2);
  if (hasPoint && (node.type(2).getNumElements() != 1 ||
                   node.element(2) != node.element(0)))
    return node.error() << "has zero point " << node.type(2) << " of "
                        << node.type(0);
  if (hasPoint)
    fill = reshape(operand(node, 2), {});
  auto images = imagesOf(node, node.shape(filter).drop_front(2), fill);
  if (failed(images) || failed(runOn(node, *images)))
    return failure();
  return giveCounts(node, *images);
}

FailureOr<DynamicImages> poolOf(Node &node, Expr fill) {
  Integers size = node.intsAttr("kernel_shape");
  if (static_cast<int64_t>(size.size()) != node.rank(0) - 2)
    return node.error() << "attribute 'kernel_shape' has " << size.size()
                        << " values for " << node.rank(0) - 2 << " dimensions";
  return imagesOf(node, size, fill);
}

/// Places in the whole tensor, of the place's elements, as those of the images.
Expr positionsOfImages(Node &node, const DynamicImages &images, Expr at) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(0));
  int64_t rank = node.rank(0);
  bool isColumns = node.intAttr("storage_order") != 0;
  // From the dimension that varies most quickly on.
  Integers order{0, 1};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(isColumns ? rank + 1 - d : d);
  Expr result = number(b, 0), step = number(b, 1);
  for (int64_t d : llvm::reverse(order)) {
    Expr extent = number(b, images.position.size(d));
    Expr own = apply<graph::FloorModOp>(at, extent);
    at = apply<graph::FloorDivOp>(at, extent);
    for (const DynamicSide &side : images.sides)
      if (side.along.dim == d)
        own = own - side.begin(b);
    result = result + own * step;
    step = step * exactly(b, sizes[d]);
  }
  return result;
}

LogicalResult importMaxPool(Node &node) {
  if (!node.size() || !node.operand(0) || !hasDynamicImages(node))
    return giveInferred(node);
  Expr least = identityOf(node.b, graph::Reduction::max, node.element(0));
  auto images = poolOf(node, least);
  if (failed(images) || failed(runOn(node, *images)) ||
      failed(giveCounts(node, *images)))
    return failure();
  if (node.given.size() < 2 || !node.given[1].value)
    return success();
  Traced &positions = node.given[1];
  positions.value =
      positionsOfImages(node, *images, Expr(node.b, positions.value)).value;
  return giveCounts(node, *images, 1);
}

/// How many elements of the windows along a dimension lie in [begin, end).
Expr elementsIn(const DynamicSide &side, int64_t windows, Expr begin,
                Expr end) {
  ImplicitLocOpBuilder &b = *begin.b;
  Expr first =
      iota(b, windows) * number(b, side.along.stride) - number(b, side.low);
  Expr step = number(b, side.dilation), none = number(b, 0);
  auto stepsTo = [&](Expr position) {
    return -apply<graph::FloorDivOp>(first - position, step);
  };
  Expr from = maximum(stepsTo(begin), none);
  Expr to = minimum(stepsTo(end), number(b, side.window));
  return maximum(to - from, none);
}

/// The handler divides by as many elements as the place has in a window, which
/// are more than the images have.
LogicalResult importAveragePool(Node &node) {
  if (!node.size() || !node.operand(0) || !hasDynamicImages(node))
    return giveInferred(node);
  ImplicitLocOpBuilder &b = node.b;
  auto images = poolOf(node, operand(node, 0).like(0));
  if (failed(images) || failed(runOn(node, *images)))
    return failure();
  bool countsMargins = node.intAttr("count_include_pad") != 0;
  Expr y(b, node.given[0].value);
  Type type = y.elementType();
  bool isFloat16 = type.getIntOrFloatBitWidth() < 32;
  y = isFloat16 ? cast(y, b.getF32Type()) : y;
  for (const DynamicSide &side : images->sides) {
    if (countsMargins && !side.isCeil)
      continue;
    int64_t low = countsMargins ? side.padsLow : 0,
            high = countsMargins ? side.padsHigh : 0;
    int64_t windows = y.size(side.along.dim);
    Expr begin = side.begin(b);
    Expr all = elementsIn(side, windows, number(b, -low),
                          number(b, side.extent + high));
    Expr real =
        elementsIn(side, windows, begin - number(b, low),
                   begin + exactly(b, side.along.size) + number(b, high));
    Expr factor = cast(all, y.elementType()) / cast(real, y.elementType());
    y = y * along(factor, side.along.dim, y.rank());
  }
  node.given[0].value = cast(y, type).value;
  return giveCounts(node, *images);
}

LogicalResult importLpPool(Node &node) {
  if (!node.size() || !node.operand(0) || !hasDynamicImages(node))
    return giveInferred(node);
  auto images = poolOf(node, operand(node, 0).like(0));
  if (failed(images) || failed(runOn(node, *images)))
    return failure();
  return giveCounts(node, *images);
}

/// Each element adds to as many as a window has, a stride further: the size of
/// the result follows from that of the place.
LogicalResult importTransposed(Node &node) {
  if (node.size() < 2 || !node.operand(0) || !hasDynamicImages(node))
    return giveInferred(node);
  if (node.traced(1).isBounded())
    return node.unsupported("a filter whose size is known only at run time");
  if (!node.intsAttr("output_shape").empty())
    return node.unsupported("output_shape of images whose size is known only "
                            "at run time");
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(0));
  if (!sizes[1].isKnown())
    return node.unsupported("channels whose number is known only at run time");
  auto strides = spatialAttr(node, "strides", node.rank(0) - 2, 1);
  if (failed(strides))
    return failure();
  Integers spatial;
  for (int64_t d = 2; d < node.rank(0); ++d)
    spatial.push_back(d);
  Expr x = operand(node, 0);
  x = masked(b, node.traced(0), x.like(0), spatial);
  if (failed(runOnPaddedBuffers(node, {x.value})))
    return failure();
  ArrayRef<int64_t> shape = typeOf(node.given[0].value).getShape();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (d >= 2 && !size.isKnown()) {
      int64_t stride = (*strides)[d - 2], rest = shape[d] - size.bound * stride;
      Expr n = exactly(b, size);
      if (stride != 1)
        n = n * number(b, stride);
      if (rest != 0)
        n = maximum(n + number(b, rest), number(b, 0));
      size.exact = n.value;
    }
    size.bound = shape[d];
  }
  return giveSizes(node, 0, sizes);
}

/// Blocks must be whole.
LogicalResult importSpaceToDepth(Node &node) {
  int64_t block = node.intAttr("blocksize");
  if (!node.size() || !node.operand(0) || node.rank(0) != 4 || block < 1 ||
      block > (1 << 16) || !hasDynamicImages(node))
    return giveInferred(node);
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(0));
  if (!sizes[1].isKnown())
    return node.unsupported("channels whose number is known only at run time");
  Expr by = number(b, block);
  for (int64_t d : {2, 3}) {
    Size &size = sizes[d];
    if (size.isKnown())
      continue;
    Expr n = exactly(b, size), blocks = apply<graph::FloorDivOp>(n, by);
    require(node, apply<graph::EqualOp>(blocks * by, n),
            "dimension " + Twine(d) + " is not made of blocks of " +
                Twine(block));
    size.bound = llvm::divideCeil(size.bound, block) * block;
    size.exact = blocks.value;
  }
  if (failed(runOnPaddedBuffers(
          node, {paddedTo(b, node.operand(0), boundsOf(sizes))})))
    return failure();
  ArrayRef<int64_t> shape = typeOf(node.given[0].value).getShape();
  for (auto [d, size] : llvm::enumerate(sizes))
    size.bound = shape[d];
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedWindowHandlers(BoundedHandlers &handlers) {
  for (StringRef op : {"Conv", "ConvInteger", "QLinearConv"})
    handlers[op] = importConvolution;
  handlers["AveragePool"] = importAveragePool;
  handlers["ConvTranspose"] = importTransposed;
  handlers["LpPool"] = importLpPool;
  handlers["MaxPool"] = importMaxPool;
  handlers["SpaceToDepth"] = importSpaceToDepth;
}

} // namespace weir::onnx

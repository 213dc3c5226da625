// Convolutions and pools over images whose sizes are known only at run time.

#include "compiler/import/tensorflow/neural/Windows.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/Windows.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

struct Images {
  Layout layout;
  Windows windows;
  bool isSame = false;
  /// The dynamic dimensions.
  SmallVector<Along> open;
};

/// The windows over the place of operand 0.
FailureOr<Images> imagesOf(Node &node, const Layout &layout,
                           ArrayRef<int64_t> window) {
  Images images{layout, {}, node.stringAttr("padding") == "SAME", {}};
  Sizes sizes = sizesOf(node.traced(0));
  int64_t first = layout.channelsFirst ? 2 : 1;
  if (!sizes[layout.channelsFirst ? 1 : sizes.size() - 1].isKnown()) {
    (void)node.unsupported("channels whose number is known only at run time");
    return failure();
  }
  auto extents = node.shape(0).slice(first, layout.spatial);
  auto windows = windowsOf(node, layout, extents, window);
  if (failed(windows))
    return failure();
  images.windows = *windows;
  for (int64_t i = 0; i < layout.spatial; ++i)
    if (const Size &size = sizes[first + i]; !size.isKnown()) {
      int64_t reach = (window[i] - 1) * windows->dilations[i] + 1;
      Along along{first + i, reach, windows->strides[i], size};
      // Whole strides must not make the place much larger than it is.
      if (images.isSame && along.maxShift() > 0 &&
          along.stride > std::max<int64_t>(size.bound, 1)) {
        (void)node.unsupported("strides of " + Twine(along.stride) +
                               " over images of at most " + Twine(size.bound));
        return failure();
      }
      images.open.push_back(along);
    }
  return images;
}

/// Whether some windows have elements outside of the images.
bool reachesOut(const Images &images) {
  auto isMargin = [](int64_t margin) { return margin != 0; };
  return images.isSame || llvm::any_of(images.windows.low, isMargin) ||
         llvm::any_of(images.windows.high, isMargin);
}

/// The place for the node's own handler, with `fill` around the images.
Expr positionOf(const Images &images, Expr x, const Traced &traced, Expr fill) {
  x = filledBehind(x, sizesOf(traced), images.open, fill);
  if (images.isSame)
    for (const Along &along : images.open)
      x = shifted(x, along, fill);
  return x;
}

/// How many windows there are.
LogicalResult giveCounts(Node &node, const Images &images) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(0));
  int64_t first = images.layout.channelsFirst ? 2 : 1;
  ArrayRef<int64_t> shape = typeOf(node.given[0].value).getShape();
  for (const Along &along : images.open) {
    int64_t i = along.dim - first;
    int64_t margins = images.isSame
                          ? along.reach - 1
                          : images.windows.low[i] + images.windows.high[i];
    bool isAll = along.stride == 1 && margins == along.reach - 1;
    sizes[along.dim] = {shape[along.dim], isAll
                                              ? along.size.exact
                                              : along.count(b, margins).value};
  }
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size.isKnown())
      size.bound = shape[dim];
  writeSizes(node.tracing.report, node.given[0].value, sizes);
  return giveSizes(node, 0, sizes);
}

FailureOr<Layout> imageLayout(Node &node, unsigned operands) {
  int64_t spatial = node.op().contains("3D") ? 3 : 2;
  auto layout = layoutOf(node, spatial);
  if (failed(layout))
    return failure();
  if (node.size() != operands || node.rank(0) != spatial + 2)
    return node.error() << "takes images of " << spatial << " dimensions";
  return layout;
}

LogicalResult importConvolution(Node &node) {
  auto layout = imageLayout(node, 2);
  if (failed(layout))
    return failure();
  if (node.traced(1).isBounded())
    return node.unsupported("a filter whose size is known only at run time");
  if (node.rank(1) != node.rank(0))
    return node.error() << "has a filter of " << node.type(1);
  auto images =
      imagesOf(node, *layout, node.shape(1).take_front(layout->spatial));
  if (failed(images))
    return failure();
  // Also for windows within the images: a kernel may compute neighbouring
  // windows from sums of what any of them reads.
  Expr x = operand(node, 0);
  x = positionOf(*images, x, node.traced(0), x.like(0));
  if (failed(runOnPaddedBuffers(node, {x.value})))
    return failure();
  return giveCounts(node, *images);
}

FailureOr<Images> poolOf(Node &node) {
  auto layout = imageLayout(node, 1);
  if (failed(layout))
    return failure();
  auto window = layout->spatialAttr(node, "ksize", 1);
  if (failed(window))
    return failure();
  return imagesOf(node, *layout, *window);
}

LogicalResult importMaxPool(Node &node) {
  auto images = poolOf(node);
  if (failed(images))
    return failure();
  Expr x = operand(node, 0);
  Expr lowest = identityOf(node.b, graph::Reduction::max, x.elementType());
  if (reachesOut(*images))
    x = positionOf(*images, x, node.traced(0), lowest);
  if (failed(runOnPaddedBuffers(node, {x.value})))
    return failure();
  return giveCounts(node, *images);
}

/// The mean of the elements that lie in the images: that of all, by the mean of
/// ones where they do and zeros where not.
LogicalResult importAveragePool(Node &node) {
  auto images = poolOf(node);
  if (failed(images))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0), zero = x.like(0);
  bool isMasked = reachesOut(*images) && !images->open.empty();
  Expr position = isMasked ? positionOf(*images, x, node.traced(0), zero) : x;
  if (failed(runOnPaddedBuffers(node, {position.value})))
    return failure();
  if (isMasked) {
    Expr means(b, node.given[0].value);
    SmallVector<int64_t> shape(x.shape());
    shape[0] = shape[images->layout.channelsFirst ? 1 : x.rank() - 1] = 1;
    Expr ones(b, splat(b, RankedTensorType::get(shape, x.elementType()), 1));
    Traced counted = node.traced(0);
    counted.value = ones.value;
    ones = positionOf(*images, ones, counted, zero);
    if (failed(runOnPaddedBuffers(node, {ones.value})))
      return failure();
    means = means / Expr(b, node.given[0].value);
    node.given[0].value = means.value;
  }
  return giveCounts(node, *images);
}

/// From results back to images. Operands: the sizes of the images, the filter,
/// the results.
struct Back {
  Layout layout;
  Sizes results, images;
  /// The images for the node's own handler. Along dynamic dimensions they are
  /// the largest ones with as many windows as the bound of the results.
  SmallVector<int64_t> position;
  /// Where the images do not begin with the place.
  SmallVector<Along> shifted;

  LogicalResult readSpatial(Node &node, ArrayRef<Value> wanted);
};

LogicalResult Back::readSpatial(Node &node, ArrayRef<Value> wanted) {
  ImplicitLocOpBuilder &b = node.b;
  auto strides = layout.spatialAttr(node, "strides", 1);
  auto dilations = layout.spatialAttr(node, "dilations", 1);
  if (failed(strides) || failed(dilations))
    return failure();
  StringRef padding = node.stringAttr("padding");
  bool isSame = padding == "SAME";
  for (int64_t i = 0; i < layout.spatial; ++i) {
    int64_t dim = i + (layout.channelsFirst ? 2 : 1);
    auto known = knownNumber(wanted[dim]);
    if (known && results[dim].isKnown()) {
      images[dim] = {*known, {}};
      position[dim] = *known;
      continue;
    }
    int64_t stride = (*strides)[i], dilation = (*dilations)[i];
    int64_t window = node.shape(1)[i];
    constexpr int64_t most = 1 << 20;
    if (stride < 1 || stride > most || dilation < 1 || dilation > most ||
        window < 1 || window > most || (!isSame && padding != "VALID"))
      return node.unsupported("such windows over images whose size is known "
                              "only at run time");
    int64_t reach = (window - 1) * dilation + 1;
    int64_t whole = results[dim].bound * stride + (isSame ? 0 : reach - 1);
    auto size = sizeFrom(node, wanted[dim], whole);
    if (failed(size))
      return failure();
    Along along{dim, reach, stride, *size};
    require(node,
            apply<graph::EqualOp>(along.count(b, isSame ? reach - 1 : 0),
                                  exactly(b, results[dim])),
            "the sizes of the results do not fit to those of the images");
    images[dim] = *size;
    position[dim] = whole;
    if (isSame && along.maxShift() > 0)
      shifted.push_back(along);
  }
  return success();
}

LogicalResult importTransposed(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  int64_t spatial = node.op().contains("3D") ? 3 : 2;
  auto wanted = listedScalars(node, 0);
  auto layout = layoutOf(node, spatial);
  if (failed(wanted) || failed(layout))
    return failure();
  int64_t rank = spatial + 2, channels = layout->channelsFirst ? 1 : rank - 1;
  if (node.size() != 3 || node.rank(1) != rank || node.rank(2) != rank ||
      static_cast<int64_t>(wanted->size()) != rank)
    return node.error() << "takes no images of " << spatial << " dimensions";
  if (node.traced(1).isBounded())
    return node.unsupported("a filter whose size is known only at run time");
  auto depth = knownNumber((*wanted)[channels]);
  Back back{*layout,
            sizesOf(node.traced(2)),
            Sizes(rank),
            SmallVector<int64_t>(rank),
            {}};
  Size count = back.results.front();
  if (!depth || !back.results[channels].isKnown())
    return node.unsupported("channels whose number is known only at run time");
  auto known = knownNumber(wanted->front());
  if (!count.isKnown() || !known)
    require(node,
            apply<graph::EqualOp>(exactly(b, count), Expr(b, wanted->front())),
            "it has not as many results as images");
  back.images[channels] = {*depth, {}};
  back.images[0] = count.isKnown() && known ? Size{*known, {}} : count;
  for (int64_t dim : {int64_t(0), channels})
    back.position[dim] = back.images[dim].bound;
  if (failed(back.readSpatial(node, *wanted)))
    return failure();
  // What is no result adds nothing.
  Expr results = operand(node, 2);
  results = masked(b, node.traced(2), results.like(0),
                   llvm::to_vector(llvm::seq<int64_t>(1, rank)));
  Type type = node.type(0).getElementType();
  if (failed(runOnPaddedBuffers(node, {numbers(b, type, back.position),
                                       node.operand(1), results.value})))
    return failure();
  Expr y(b, node.given[0].value);
  for (const Along &along : back.shifted) {
    SmallVector<int64_t> none(rank, 0), high = none;
    high[along.dim] = along.maxShift();
    SmallVector<Value> starts(rank, number(b, 0).value);
    starts[along.dim] = along.shift(b).value;
    Value wide =
        make<graph::PadOp>(b, y.value, y.like(0).value, none, high, none);
    y.value = make<graph::DynamicSliceOp>(b, wide, starts, back.position);
  }
  y.value = paddedTo(b, y.value, boundsOf(back.images));
  return node.tracedResults({withSizes(y.value, back.images)});
}

} // namespace

void addBoundedWindowHandlers(BoundedHandlers &handlers) {
  for (StringRef op : {"Conv2D", "Conv3D", "DepthwiseConv2dNative"})
    handlers[op] = importConvolution;
  for (StringRef op : {"MaxPool", "MaxPool3D"})
    handlers[op] = importMaxPool;
  for (StringRef op : {"AvgPool", "AvgPool3D"})
    handlers[op] = importAveragePool;
  for (StringRef op : {"Conv2DBackpropInput", "Conv3DBackpropInputV2",
                       "DepthwiseConv2dNativeBackpropInput"})
    handlers[op] = {importTransposed, {0}};
}

} // namespace weir::tensorflow

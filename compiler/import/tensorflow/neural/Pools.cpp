// Pools over images of two and three dimensions, and their gradients.

#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

#include <numeric>

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// A pool's windows over its operand 0 (or over images of `shape`), and the
/// images with channels last.
struct Pool {
  Layout layout;
  Windows windows;
};

/// Ops of version 2 have window and strides as operands.
FailureOr<SmallVector<int64_t>> sizesOf(Node &node, const Layout &layout,
                                        StringRef name,
                                        std::optional<unsigned> at) {
  if (!at)
    return layout.spatialAttr(node, name, 1);
  auto values = node.integers(*at);
  if (failed(values))
    return failure();
  if (values->size() != static_cast<size_t>(layout.spatial + 2))
    return node.error() << "operand " << *at << " has " << values->size()
                        << " values";
  SmallVector<int64_t> last = layout.toLast(*values);
  if (last.front() != 1 || last.back() != 1) {
    (void)node.unsupported("pools across images or channels");
    return failure();
  }
  return SmallVector<int64_t>(ArrayRef<int64_t>(last).slice(1, layout.spatial));
}

FailureOr<Pool> poolOf(Node &node, ArrayRef<int64_t> shape,
                       std::optional<unsigned> sizes = std::nullopt) {
  int64_t spatial = node.op().contains("3D") ? 3 : 2;
  auto layout = layoutOf(node, spatial);
  if (failed(layout))
    return failure();
  SmallVector<int64_t> images = layout->toLast(shape);
  if (images.size() != static_cast<size_t>(spatial + 2))
    return node.error() << "pools images of " << images.size() << " dimensions";
  auto window = sizesOf(node, *layout, "ksize", sizes);
  auto strides = sizesOf(node, *layout, "strides",
                         sizes ? std::optional(*sizes + 1) : std::nullopt);
  if (failed(window) || failed(strides))
    return failure();
  auto extents = ArrayRef<int64_t>(images).slice(1, spatial);
  FailureOr<Windows> windows = windowsOf(node, *layout, extents, *window);
  if (failed(windows))
    return failure();
  if (sizes) {
    // Windows have only read strides that are an attribute.
    auto error = [&] { return node.error(); };
    windows->strides = *strides;
    if (failed(checkWindows(error, *windows)) ||
        (node.stringAttr("padding") == "SAME" &&
         failed(padToStrides(error, *windows, extents))) ||
        failed(countWindows(error, *windows, extents)))
      return failure();
  }
  for (auto [size, low, high] :
       llvm::zip(windows->size, windows->low, windows->high))
    if (low >= size || high >= size)
      return node.error() << "padding of " << std::max(low, high)
                          << " around windows of " << size;
  return Pool{*layout, *windows};
}

/// Where ops of version 2 have their window, and behind it their strides.
std::optional<unsigned> sizesAt(Node &node, unsigned operand) {
  return node.op().ends_with("V2") ? std::optional(operand) : std::nullopt;
}

template <Expr (*pooled)(Expr, const Windows &)>
LogicalResult forward(Node &node) {
  auto pool = poolOf(node, node.shape(0), sizesAt(node, 1));
  if (failed(pool))
    return failure();
  Expr x = pool->layout.toLast(operand(node, 0));
  return give(node, pool->layout.fromLast(pooled(x, pool->windows)));
}

/// Where each image of `x` begins, counted in elements of all, as i64 along
/// dimension 0.
Expr startsOf(Expr x) {
  int64_t count = x.size(0);
  SmallVector<int64_t> shape(x.rank(), 1);
  shape[0] = count;
  auto type = RankedTensorType::get(shape, x.b->getI64Type());
  double image =
      count ? static_cast<double>(x.type().getNumElements() / count) : 0;
  return Expr(*x.b, make<graph::IotaOp>(*x.b, type, 0)) * image;
}

/// The places of the largest elements, counted in all images.
Expr positionsOfLargest(Expr x, const Windows &windows, bool inBatch) {
  Expr positions = poolArgMax(x, windows);
  if (!inBatch)
    return positions;
  return positions + cast(startsOf(x), positions.elementType());
}

LogicalResult maxWithArgmax(Node &node) {
  auto pool = poolOf(node, node.shape(0));
  if (failed(pool))
    return failure();
  Expr x = operand(node, 0);
  Type indexType = node.typeAttr("Targmax");
  bool inBatch = node.boolAttr("include_batch_in_index");
  return give(node, {poolMax(x, pool->windows),
                     cast(positionsOfLargest(x, pool->windows, inBatch),
                          indexType ? indexType : node.b.getI64Type())});
}

/// Each gradient goes to the first largest element of its window.
LogicalResult maxGradient(Node &node) {
  auto pool = poolOf(node, node.shape(0), sizesAt(node, 3));
  if (failed(pool))
    return failure();
  Expr x = pool->layout.toLast(operand(node, 0));
  Expr gradient = pool->layout.toLast(operand(node, 2));
  if (!gradient || gradient.elementType() != x.elementType() ||
      gradient.shape() != ArrayRef<int64_t>(pool->windows.resultShape(x)))
    return give(node, Expr());
  Expr positions = positionsOfLargest(x, pool->windows, /*inBatch=*/true);
  return give(node, pool->layout.fromLast(spread(x, gradient, positions)));
}

/// The gradient of that: of each window what lies at its first largest element.
LogicalResult maxSecondGradient(Node &node) {
  auto pool = poolOf(node, node.shape(0), sizesAt(node, 3));
  if (failed(pool))
    return failure();
  Expr x = pool->layout.toLast(operand(node, 0));
  Expr gradient = pool->layout.toLast(operand(node, 2));
  if (!gradient || gradient.type() != x.type())
    return give(node, Expr());
  Expr positions = positionsOfLargest(x, pool->windows, /*inBatch=*/true);
  if (x.type().getNumElements() == 0)
    return give(node, pool->layout.fromLast(poolMax(x, pool->windows)));
  return give(node, pool->layout.fromLast(gather(
                        reshape(gradient, {gradient.type().getNumElements()}),
                        positions, 0)));
}

/// Gradients by the places that the forward op has given: to them, or from.
template <bool second>
LogicalResult placedGradient(Node &node) {
  auto pool = poolOf(node, node.shape(0));
  if (failed(pool))
    return failure();
  Expr x = operand(node, 0), gradient = operand(node, 1),
       positions = operand(node, 2);
  if (!gradient || !positions || gradient.elementType() != x.elementType() ||
      positions.shape() != ArrayRef<int64_t>(pool->windows.resultShape(x)) ||
      gradient.shape() != (second ? x.shape() : positions.shape()))
    return give(node, Expr());
  int64_t count = x.type().getNumElements();
  positions = cast(positions, node.b.getI64Type());
  if (!node.boolAttr("include_batch_in_index"))
    positions = positions + startsOf(x);
  Expr inside = apply<graph::LogicalAndOp>(
      apply<graph::GreaterEqualOp>(positions, positions.like(0)),
      apply<graph::LessOp>(positions,
                           positions.like(static_cast<double>(count))));
  if (failed(check(node, inside, "a place lies outside of the images")))
    return failure();
  if (!second)
    return give(node, spread(x, gradient, positions));
  if (count == 0)
    return give(node, zerosOf(poolMax(x, pool->windows)));
  return give(node, gather(reshape(gradient, {count}), positions, 0));
}

/// Each gradient is shared out among the elements of its window: a sum over
/// reversed windows of gradients with gaps of a stride between them.
LogicalResult averageGradient(Node &node) {
  auto shape = node.integers(0);
  if (failed(shape))
    return failure();
  auto pool = poolOf(node, *shape);
  if (failed(pool))
    return failure();
  const Windows &windows = pool->windows;
  SmallVector<int64_t> images = pool->layout.toLast(*shape);
  Expr gradient = pool->layout.toLast(operand(node, 1));
  int64_t spatial = pool->layout.spatial;
  if (!gradient || gradient.rank() != spatial + 2 ||
      gradient.shape().slice(1, spatial) != ArrayRef<int64_t>(windows.counts))
    return give(node, Expr());
  SmallVector<int64_t> low(spatial + 2, 0), high = low, interior = low;
  Windows unit = windows;
  double area = 1;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t size = windows.size[i], stride = windows.strides[i];
    int64_t count = windows.counts[i], extent = images[i + 1];
    SmallVector<double> shares;
    for (int64_t k = 0; k < count; ++k) {
      int64_t begin = k * stride - windows.low[i];
      shares.push_back(1.0 /
                       static_cast<double>(std::min(begin + size, extent) -
                                           std::max<int64_t>(begin, 0)));
    }
    SmallVector<int64_t> along(spatial + 2, 1);
    along[i + 1] = count;
    gradient =
        gradient * constant(node.b, gradient.elementType(), along, shares);
    int64_t length = count ? (count - 1) * stride + 1 : 0;
    low[i + 1] = size - 1 - windows.low[i];
    high[i + 1] = extent + size - 1 - length - low[i + 1];
    interior[i + 1] = stride - 1;
    unit.strides[i] = 1;
    unit.low[i] = unit.high[i] = 0;
    unit.counts[i] = extent;
    area *= static_cast<double>(size);
  }
  Expr spread = pad(gradient, low, high, interior);
  if (!spread)
    return give(node, spread);
  Expr x = poolAverage(spread, unit) * area;
  return give(node, pool->layout.fromLast(x));
}

} // namespace

void addPoolHandlers(Handlers &handlers) {
  for (const char *name : {"MaxPool", "MaxPoolV2", "MaxPool3D"})
    handlers[name] = forward<poolMax>;
  for (const char *name : {"AvgPool", "AvgPool3D"})
    handlers[name] = forward<poolAverage>;
  handlers["MaxPoolWithArgmax"] = maxWithArgmax;
  for (const char *name : {"MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad"})
    handlers[name] = maxGradient;
  for (const char *name :
       {"MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGradGrad"})
    handlers[name] = maxSecondGradient;
  handlers["MaxPoolGradWithArgmax"] = placedGradient<false>;
  handlers["MaxPoolGradGradWithArgmax"] = placedGradient<true>;
  for (const char *name : {"AvgPoolGrad", "AvgPool3DGrad"})
    handlers[name] = averageGradient;
}

} // namespace weir::tensorflow

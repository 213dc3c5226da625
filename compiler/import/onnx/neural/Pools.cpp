// Pools over windows and over whole images.

#include "compiler/import/build/Norms.h"
#include "compiler/import/onnx/neural/Windows.h"
#include "compiler/import/onnx/shape/Gathers.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

#include <limits>

#include <cmath>

using namespace mlir;

namespace weir::onnx {

/// The windows of a pool, and how far those of ceil_mode reach too far.
struct Pool {
  Windows windows;
  Integers beyond;

  bool isDilated() const {
    return llvm::any_of(windows.dilations, [](int64_t d) { return d != 1; });
  }
  /// Whether some window may see nothing but margins.
  bool isWide() const {
    for (auto [size, low, high] :
         llvm::zip_equal(windows.size, windows.low, windows.high))
      if (low >= size || high >= size)
        return true;
    return false;
  }
};

static FailureOr<Pool> poolOf(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  int64_t rank = node.rank(0);
  if (rank < 3)
    return node.error() << "cannot pool " << node.type(0);
  if (rank > 5) {
    (void)node.unsupported("pools along more than 3 dimensions");
    return failure();
  }
  Integers size = node.intsAttr("kernel_shape");
  if (static_cast<int64_t>(size.size()) != rank - 2)
    return node.error() << "attribute 'kernel_shape' has " << size.size()
                        << " values for " << rank - 2 << " dimensions";
  Pool pool;
  auto windows =
      windowsOf(node, node.shape(0).drop_front(2), size, &pool.beyond);
  if (failed(windows))
    return failure();
  pool.windows = *windows;
  return pool;
}

/// `x` (channels last) with `low` and `high` elements of `fill` around it.
static Expr framed(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                   double fill) {
  Integers before{0}, after{0};
  llvm::append_range(before, low);
  llvm::append_range(after, high);
  before.push_back(0);
  after.push_back(0);
  if (llvm::all_of(before, [](int64_t n) { return n == 0; }) &&
      llvm::all_of(after, [](int64_t n) { return n == 0; }))
    return x;
  return Expr(*x.b,
              make<graph::PadOp>(*x.b, x.value, x.like(fill).value, before,
                                 after, Integers(before.size(), 0)));
}

/// The elements of all windows, one window after the other along each
/// dimension, with `fill` for margins; nothing where that is too much. The
/// windows then lie side by side.
static Expr sideBySide(Expr x, Windows &windows, double fill) {
  x = framed(x, windows.low, windows.high, fill);
  for (size_t i = 0; x && i < windows.size.size(); ++i) {
    int64_t size = windows.size[i], count = windows.counts[i];
    if (size > (1 << 24) / std::max<int64_t>(count, 1))
      return {};
    SmallVector<double> positions;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t j = 0; j < size; ++j)
        positions.push_back(static_cast<double>(k * windows.strides[i] +
                                                j * windows.dilations[i]));
    Expr at = constant(*x.b, x.b->getI64Type(), {count * size}, positions);
    x = gather(x, at, static_cast<int64_t>(i) + 1);
    windows.strides[i] = size;
    windows.dilations[i] = 1;
    windows.low[i] = windows.high[i] = 0;
  }
  return x;
}

static double lowest(Type type) {
  if (isa<FloatType>(type))
    return -std::numeric_limits<double>::infinity();
  unsigned width = type.getIntOrFloatBitWidth();
  return type.isUnsignedInteger() ? 0 : -std::ldexp(1.0, width - 1);
}

/// From places in an image with channels last to places in the whole tensor
/// with channels first, of images of `extents`; along columns where so stored.
static Expr positionsOf(Expr at, const Pool &pool, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> extents, const Windows &seen,
                        bool columns) {
  ImplicitLocOpBuilder &b = *at.b;
  auto spatial = static_cast<int64_t>(extents.size());
  int64_t channels = shape[1];
  auto number = [&](int64_t n) { return at.like(static_cast<double>(n)); };
  Expr left = apply<graph::FloorDivOp>(at, number(channels));
  Integers seenExtents;
  for (int64_t i = 0; i < spatial; ++i)
    seenExtents.push_back(pool.isDilated() || pool.isWide()
                              ? seen.size[i] * seen.counts[i]
                              : extents[i]);
  SmallVector<Expr> coordinates(spatial);
  for (int64_t i = spatial - 1; i >= 0; --i) {
    Expr position = apply<graph::FloorModOp>(left, number(seenExtents[i]));
    left = apply<graph::FloorDivOp>(left, number(seenExtents[i]));
    if (pool.isDilated() || pool.isWide()) {
      Expr window = apply<graph::FloorDivOp>(position, number(seen.size[i]));
      Expr inner = apply<graph::FloorModOp>(position, number(seen.size[i]));
      position = window * number(pool.windows.strides[i]) +
                 inner * number(pool.windows.dilations[i]) -
                 number(pool.windows.low[i]);
    }
    coordinates[i] = position;
  }
  Expr index;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t d = columns ? spatial - 1 - i : i;
    index =
        index ? index * number(extents[d]) + coordinates[d] : coordinates[d];
  }
  int64_t image = productOf(extents);
  Type i64 = b.getI64Type();
  Expr images = along(counted(b, shape[0], i64), 0, spatial + 2);
  Expr planes = along(counted(b, channels, i64), spatial + 1, spatial + 2);
  return index + (images * number(channels) + planes) * number(image);
}

static LogicalResult importMaxPool(Node &node) {
  auto pool = poolOf(node);
  if (failed(pool))
    return failure();
  Expr x = channelsLast(operand(node, 0));
  Windows windows = pool->windows;
  auto extents = node.shape(0).drop_front(2);
  if (pool->isDilated() || pool->isWide()) {
    x = sideBySide(x, windows, lowest(x.elementType()));
    if (!x)
      return node.unsupported("windows of this size");
  }
  SmallVector<Expr> results{channelsFirst(poolMax(x, windows))};
  if (node.wants(1))
    results.push_back(channelsFirst(
        positionsOf(poolArgMax(x, windows), *pool, node.shape(0), extents,
                    windows, node.intAttr("storage_order") != 0)));
  return give(node, results);
}

/// Sums over windows, with zeros around `x`. f16 and bf16 are summed as f32, so
/// that they do not overflow.
static Expr sums(Expr x, const Pool &pool) {
  Windows windows = pool.windows;
  x = widened(x);
  if (pool.isDilated()) {
    x = sideBySide(x, windows, 0);
  } else {
    x = framed(x, windows.low, windows.high, 0);
    windows.low.assign(windows.low.size(), 0);
    windows.high = windows.low;
  }
  double area = 1;
  for (int64_t size : windows.size)
    area *= static_cast<double>(size);
  return poolAverage(x, windows) * area;
}

static LogicalResult importAveragePool(Node &node) {
  auto pool = poolOf(node);
  if (failed(pool) || failed(wantFloats(node, 1)))
    return failure();
  Expr x = channelsLast(operand(node, 0));
  bool countsMargins = node.intAttr("count_include_pad") != 0;
  const Windows &windows = pool->windows;
  // What windows of ceil_mode reach beyond margins does not count.
  bool isEven = !countsMargins ||
                llvm::all_of(pool->beyond, [](int64_t n) { return n == 0; });
  if (!pool->isDilated() && !pool->isWide() && isEven)
    return give(node,
                channelsFirst(countsMargins ? poolAverageWithMargins(x, windows)
                                            : poolAverage(x, windows)));
  Expr y = sums(x, *pool);
  // How many elements a window has is a product of how many it has along each
  // dimension.
  auto spatial = static_cast<int64_t>(windows.size.size());
  for (int64_t i = 0; i < spatial && y; ++i) {
    int64_t begin = countsMargins ? -windows.low[i] : 0;
    int64_t end = node.shape(0)[i + 2] +
                  (countsMargins ? windows.high[i] - pool->beyond[i] : 0);
    auto f64 = [](int64_t n) { return static_cast<double>(n); };
    Expr first = counted(node.b, windows.counts[i], node.b.getI64Type()) *
                     f64(windows.strides[i]) -
                 f64(windows.low[i]);
    // Elements first + j * step in [begin, end).
    Expr step = first.like(f64(windows.dilations[i]));
    auto stepsTo = [&](int64_t position) {
      return -apply<graph::FloorDivOp>(first - f64(position), step);
    };
    Expr from = maximum(stepsTo(begin), first.like(0));
    Expr to = minimum(stepsTo(end), first.like(f64(windows.size[i])));
    Expr count = maximum(to - from, first.like(0));
    y = y / along(cast(count, y.elementType()), i + 1, spatial + 2);
  }
  return give(node, channelsFirst(y ? cast(y, node.element(0)) : y));
}

/// |x|^p.
static Expr power(Expr x, int64_t p) {
  x = apply<graph::AbsOp>(x);
  if (p == 1 || !x)
    return x;
  return p == 2 ? x * x
                : apply<graph::PowOp>(x, x.like(static_cast<double>(p)));
}

/// Which norm a pool takes; in opset 1 a float.
static int64_t normOf(Node &node) {
  if (node.opset() >= 2)
    return node.intAttr("p", 2);
  double p = node.floatAttr("p", 2);
  return p >= 1 && p <= 64 && p == std::floor(p) ? static_cast<int64_t>(p) : 0;
}

static LogicalResult importLpPool(Node &node) {
  auto pool = poolOf(node);
  if (failed(pool) || failed(wantFloats(node, 1)))
    return failure();
  int64_t p = normOf(node);
  if (p < 1)
    return node.error() << "has a norm of order " << p;
  Expr x = power(widened(channelsLast(operand(node, 0))), p);
  Expr y = rootOfPowers(sums(x, *pool), p);
  return give(node, channelsFirst(y ? cast(y, node.element(0)) : y));
}

static LogicalResult importGlobalAverage(Node &node) {
  if (failed(wantFloats(node, 1, 3)))
    return failure();
  Expr x = widened(operand(node, 0));
  Expr y = mean(x, dimsFrom(2, x.rank()), /*keep=*/true);
  return give(node, cast(y, node.element(0)));
}

static LogicalResult importGlobalMax(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) < 3)
    return node.error() << "cannot pool " << node.type(0);
  return give(node, largest(operand(node, 0), dimsFrom(2, node.rank(0))));
}

static LogicalResult importGlobalLp(Node &node) {
  if (failed(wantFloats(node, 1, 3)))
    return failure();
  int64_t p = normOf(node);
  if (p < 1)
    return node.error() << "has a norm of order " << p;
  Expr x = power(widened(operand(node, 0)), p);
  Expr y = rootOfPowers(sum(x, dimsFrom(2, x.rank()), /*keep=*/true), p);
  return give(node, cast(y, node.element(0)));
}

/// Operands: what MaxPool gave, where each stood in the images, and the shape
/// of these where the windows do not say it.
static LogicalResult importMaxUnpool(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0), at = operand(node, 1);
  int64_t rank = x.rank(), spatial = rank - 2;
  Integers size = node.intsAttr("kernel_shape"), low, high;
  auto strides = spatialAttr(node, "strides", spatial, 1);
  if (rank < 3 || at.shape() != x.shape() ||
      !at.elementType().isSignlessInteger(64) ||
      static_cast<int64_t>(size.size()) != spatial)
    return node.error() << "cannot unpool " << x.type() << " to " << at.type();
  if (failed(strides) || failed(readPads(node, spatial, low, high)))
    return failure();
  Integers shape(x.shape());
  constexpr int64_t most = 1 << 30;
  for (int64_t i = 0; i < spatial; ++i) {
    if (size[i] < 1 || size[i] > most || (*strides)[i] < 1 ||
        (*strides)[i] > most || x.size(i + 2) > most)
      return node.error() << "windows of " << size[i] << " with stride "
                          << (*strides)[i];
    shape[i + 2] =
        (x.size(i + 2) - 1) * (*strides)[i] + size[i] - low[i] - high[i];
  }
  Integers own = shape;
  if (node.has(2)) {
    auto wanted =
        node.tryConstant(2) ? node.integers(2) : promisedList(node, 2);
    if (failed(wanted))
      return failure();
    shape = *wanted;
    if (static_cast<int64_t>(shape.size()) != rank || shape[0] != x.size(0) ||
        shape[1] != x.size(1))
      return node.error() << "cannot unpool " << x.type() << " to this shape";
  }
  int64_t count = x.type().getNumElements();
  Expr zeros = filled(node.b, {productOf(shape)}, x.elementType(), 0);
  if (llvm::any_of(shape, [](int64_t n) { return n < 0; }) || !zeros)
    return node.error() << "cannot make a tensor of shape [" << shape << "]";
  Expr flat = reshape(at, {count});
  // Places are counted in the images that the windows say.
  if (own != shape) {
    Expr left = flat, index;
    SmallVector<Expr> coordinates(rank);
    for (int64_t i = rank - 1; i >= 0; --i) {
      Expr extent =
          left.like(static_cast<double>(std::max<int64_t>(own[i], 1)));
      coordinates[i] = apply<graph::FloorModOp>(left, extent);
      left = apply<graph::FloorDivOp>(left, extent);
    }
    for (int64_t i = 0; i < rank; ++i)
      index = index ? index * static_cast<double>(shape[i]) + coordinates[i]
                    : coordinates[i];
    flat = index;
  }
  Expr y(node.b, make<graph::ScatterOp>(
                     node.b, zeros.value, reshape(flat, {count, 1}).value,
                     reshape(x, {count}).value, graph::Combiner::update));
  return give(node, reshape(y, shape));
}

void addPoolHandlers(Handlers &handlers) {
  handlers["MaxPool"] = importMaxPool;
  handlers["AveragePool"] = importAveragePool;
  handlers["LpPool"] = importLpPool;
  handlers["GlobalAveragePool"] = importGlobalAverage;
  handlers["GlobalMaxPool"] = importGlobalMax;
  handlers["GlobalLpPool"] = importGlobalLp;
  handlers["MaxUnpool"] = importMaxUnpool;
}

} // namespace weir::onnx

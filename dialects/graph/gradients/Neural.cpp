// Derivatives of matrix products, convolutions, pools and softmaxes.

#include "dialects/graph/build/Windows.h"
#include "dialects/graph/gradients/Scatter.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include <limits>

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

template <>
void weir::graph::rule<MatmulOp>(MatmulOp op, Gradients &gradients) {
  Expr g = gradients.of(0), a = gradients.operand(0), b = gradients.operand(1);
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  // Terms that do not count have no part in the result.
  auto counted = [&](Expr x, bool isLast) {
    if (!op.getDepth())
      return x;
    int64_t dim = x.rank() - (isLast ? 1 : 2);
    return Expr(gradients.b,
                make<FillBeyondOp>(gradients.b, x.value, op.getDepth(),
                                   x.like(0).value, static_cast<uint64_t>(dim),
                                   static_cast<uint64_t>(x.size(dim))));
  };
  if (gradients.wants(0))
    gradients.give(
        0,
        counted(ta ? matmul(b, g, tb, true) : matmul(g, b, false, !tb), !ta));
  if (gradients.wants(1))
    gradients.give(
        1, counted(tb ? matmul(g, a, true, ta) : matmul(a, g, !ta, false), tb));
}

static SmallVector<int64_t> spatialOf(Expr images) {
  return SmallVector<int64_t>(images.shape().drop_front().drop_back());
}

template <>
void weir::graph::rule<ConvolutionOp>(ConvolutionOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0),
       filter = gradients.operand(1);
  Windows windows{SmallVector<int64_t>(filter.shape().drop_back(2)),
                  SmallVector<int64_t>(op.getStrides()),
                  SmallVector<int64_t>(op.getDilations()),
                  SmallVector<int64_t>(op.getPaddingLow()),
                  SmallVector<int64_t>(op.getPaddingHigh()),
                  spatialOf(g)};
  auto groups = static_cast<int64_t>(op.getGroups());
  if (gradients.wants(0))
    gradients.give(0, convolveBack(g, filter, x.shape(), windows, groups));
  if (gradients.wants(1))
    gradients.give(1, convolveFilter(x, g, filter.shape(), windows, groups));
}

/// Both are linear in what they have, and filters that go to and fro are one.
template <>
void weir::graph::rule<FilterGradientOp>(FilterGradientOp op,
                                         Gradients &gradients) {
  Expr filter = channelsOfFiltersLast(gradients.of(0)),
       x = gradients.operand(0), results = gradients.operand(1);
  Windows windows = windowsOf(op);
  auto groups = static_cast<int64_t>(op.getGroups());
  if (gradients.wants(0))
    gradients.give(0,
                   convolveBack(results, filter, x.shape(), windows, groups));
  if (!gradients.wants(1))
    return;
  // What no window reaches would make room for more of them.
  SmallVector<int64_t> low(x.rank(), 0), high = low;
  for (size_t i = 0; i < windows.size.size(); ++i)
    if (windows.high[i] == 0)
      high[i + 1] = paddingBehind(x.size(static_cast<int64_t>(i) + 1),
                                  {windows.size[i], windows.strides[i],
                                   windows.dilations[i], windows.low[i], 0},
                                  windows.counts[i])
                        .value_or(0);
  gradients.give(1, convolve(pad(x, low, high), filter, windows, groups));
}

/// Whether each element is in one window at most.
static bool areApart(PoolMaxOp op) {
  return llvm::all_of(llvm::zip_equal(op.getWindow(), op.getStrides()),
                      [](auto pair) {
                        auto [window, stride] = pair;
                        return window <= stride;
                      });
}

/// Of windows that are apart: each element takes the gradient of the window
/// around it where it is in that window's place.
static Expr toPositions(PoolMaxOp op, Expr positions, Expr g, Expr x) {
  ImplicitLocOpBuilder &b = *x.b;
  int64_t spatial = x.rank() - 2, channels = x.shape().back();
  if (x.type().getNumElements() <= std::numeric_limits<int32_t>::max())
    positions = build::cast(positions, b.getI32Type());
  // One dimension numbers the windows, the next one their elements.
  SmallVector<int64_t> one{x.size(0)}, all = one, joined = one;
  SmallVector<int64_t> low(x.rank(), 0), high = low;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t count = g.size(i + 1), stride = op.getStrides()[i];
    one.append({count, 1});
    all.append({count, stride});
    joined.push_back(count * stride);
    low[i + 1] = -op.getPaddingLow()[i];
    high[i + 1] = x.size(i + 1) - joined.back() - low[i + 1];
  }
  for (SmallVector<int64_t> *shape : {&one, &all, &joined})
    shape->push_back(channels);
  // Sums of what few elements have each: what all have is but compared.
  SmallVector<int64_t> pixels(all), last(all.size(), 1);
  pixels.front() = pixels.back() = 1;
  last.back() = channels;
  int64_t step = channels;
  Expr own;
  for (int64_t i = spatial - 1; i >= 0; --i) {
    int64_t dim = 2 * i + 1, stride = op.getStrides()[i];
    Expr window = iota(b, positions.elementType(), pixels, dim),
         inside = iota(b, positions.elementType(), pixels, dim + 1);
    Expr part = (window * static_cast<double>(stride) + inside +
                 static_cast<double>(low[i + 1])) *
                static_cast<double>(step);
    own = own ? own + part : part;
    step *= x.size(i + 1);
  }
  Expr channel = iota(b, positions.elementType(), last, 2 * spatial + 1);
  own = build::broadcast(own, all) + build::broadcast(channel, all);
  Expr chosen =
      apply<EqualOp>(build::broadcast(reshape(positions, one), all), own);
  Expr given = build::broadcast(reshape(g, one), all);
  return pad(reshape(select(chosen, given, given.like(0)), joined), low, high);
}

// To the first largest element of each window.
template <>
void weir::graph::rule<PoolMaxOp>(PoolMaxOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  Expr positions(gradients.b,
                 make<PoolArgMaxOp>(gradients.b, x.value, op.getWindow(),
                                    op.getStrides(), op.getPaddingLow(),
                                    op.getPaddingHigh()));
  if (g.type().getNumElements() == 0)
    return;
  if (areApart(op))
    return gradients.give(0, toPositions(op, positions, g, x));
  int64_t images = x.size(0);
  int64_t count = g.type().getNumElements() / images,
          elements = x.type().getNumElements() / images;
  Expr zeros(gradients.b,
             splat(gradients.b, x.type().clone({images, elements}), 0));
  Expr sums =
      scatter(zeros, withBatch(reshape(positions, {images, count, 1}), 1),
              reshape(g, {images, count}), Combiner::add);
  gradients.give(0, reshape(sums, x.shape()));
}

// Each gradient is shared out among the elements of its window: a sum over
// reversed windows of gradients with gaps of a stride between them.
template <>
void weir::graph::rule<PoolAverageOp>(PoolAverageOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  if (g.type().getNumElements() == 0)
    return;
  int64_t spatial = x.rank() - 2;
  SmallVector<int64_t> ones(spatial, 1), low(spatial + 2, 0), high = low,
                                                              interior = low;
  Windows unit{SmallVector<int64_t>(op.getWindow()), ones, ones, {}, {}, {}};
  double area = 1;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t size = op.getWindow()[i], stride = op.getStrides()[i],
            before = op.getPaddingLow()[i];
    int64_t count = g.size(i + 1), extent = x.size(i + 1);
    SmallVector<double> shares;
    for (int64_t k = 0; k < count; ++k) {
      int64_t begin = k * stride - before;
      int64_t covered =
          std::min(begin + size, extent) - std::max<int64_t>(begin, 0);
      shares.push_back(
          1.0 / static_cast<double>(op.getCountsPadding() ? size : covered));
    }
    SmallVector<int64_t> along(spatial + 2, 1);
    along[i + 1] = count;
    g = g * constant(gradients.b, g.elementType(), along, shares);
    int64_t length = (count - 1) * stride + 1;
    low[i + 1] = size - 1 - before;
    high[i + 1] = extent + size - 1 - length - low[i + 1];
    interior[i + 1] = stride - 1;
    unit.low.push_back(0);
    unit.high.push_back(0);
    unit.counts.push_back(extent);
    area *= static_cast<double>(size);
  }
  gradients.give(0, poolAverage(pad(g, low, high, interior), unit) * area);
}

template <>
void weir::graph::rule<SoftmaxOp>(SoftmaxOp op, Gradients &gradients) {
  Expr g = gradients.of(0), r = gradients.result(0);
  Expr shared = sum(g * r, r.rank() - 1, /*keep=*/true);
  gradients.give(0, (g - shared) * r);
}

template <>
void weir::graph::rule<LogSoftmaxOp>(LogSoftmaxOp op, Gradients &gradients) {
  Expr g = gradients.of(0), r = gradients.result(0);
  // Without a reshape, both uses of a row can be in one group.
  Expr total = sum(g, r.rank() - 1);
  auto rows = llvm::to_vector(llvm::seq<int64_t>(0, r.rank() - 1));
  total.value =
      make<BroadcastOp>(*r.b, total.type().clone(r.shape()), total.value, rows);
  gradients.give(0, g - apply<ExpOp>(r) * total);
}

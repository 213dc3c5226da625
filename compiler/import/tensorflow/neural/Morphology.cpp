// Dilation of images by a shape, and its gradients: the greatest sum of a pixel
// and the shape's value above it.

#include "compiler/import/tensorflow/neural/Morphology.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include <limits>

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Each step of the shape is ops of its own.
constexpr int64_t maxSteps = 1024;

struct Dilation {
  Expr x, shape;
  Windows windows;
  SmallVector<int64_t> rates;

  int64_t rows() const { return shape.size(0); }
  int64_t columns() const { return shape.size(1); }
  SmallVector<int64_t> results() const {
    return {x.size(0), windows.counts[0], windows.counts[1], x.size(3)};
  }
};

FailureOr<Dilation> dilationOf(Node &node) {
  Expr x = operand(node, 0), shape = operand(node, 1);
  if (!x || !shape || x.rank() != 4 || shape.rank() != 3 ||
      x.elementType() != shape.elementType() || x.size(3) != shape.size(2) ||
      x.elementType().isInteger(1))
    return node.error() << "does not dilate these images";
  Layout layout{false, 2};
  auto rates = layout.spatialAttr(node, "rates", 1);
  if (failed(rates))
    return failure();
  if (shape.size(0) * shape.size(1) > maxSteps) {
    (void)node.unsupported("shapes of more than " + Twine(maxSteps) +
                           " pixels");
    return failure();
  }
  SmallVector<int64_t> reach;
  for (int64_t i : {0, 1}) {
    int64_t rate = (*rates)[i];
    if (rate < 1 || rate > std::numeric_limits<int32_t>::max() ||
        shape.size(i) < 1)
      return node.error() << "has a shape of " << shape.size(i)
                          << " pixels at rate " << rate;
    reach.push_back((shape.size(i) - 1) * rate + 1);
  }
  auto windows = windowsOf(node, layout, x.shape().slice(1, 2), reach);
  if (failed(windows))
    return failure();
  return Dilation{x, shape, *windows, *rates};
}

/// The lowest number of a type.
Expr lowest(Expr x) {
  return identityOf(*x.b, graph::Reduction::max, x.elementType());
}

struct Greatest {
  /// The sums, and at which pixel of the shape, counted, they are.
  Expr values, steps;
};

/// Of equal sums the first counts.
Greatest greatestOf(const Dilation &dilation) {
  const Windows &windows = dilation.windows;
  ImplicitLocOpBuilder &b = *dilation.x.b;
  Expr padded = pad(dilation.x, {0, windows.low[0], windows.low[1], 0},
                    {0, windows.high[0], windows.high[1], 0});
  SmallVector<int64_t> shape = dilation.results();
  Expr least = lowest(dilation.x);
  Greatest greatest{
      broadcast(least, shape),
      Expr(b, splat(b, RankedTensorType::get(shape, b.getI64Type()), 0))};
  // Whether the shape's row or column is inside, for each window.
  auto insideOf = [&](int64_t dim, int64_t step) {
    SmallVector<bool> inside;
    for (int64_t i = 0; i < windows.counts[dim]; ++i) {
      int64_t at = i * windows.strides[dim] - windows.low[dim] +
                   step * dilation.rates[dim];
      inside.push_back(at >= 0 && at < dilation.x.size(dim + 1));
    }
    return inside;
  };
  for (int64_t row = 0; row < dilation.rows(); ++row)
    for (int64_t column = 0; column < dilation.columns(); ++column) {
      Expr part = slice(padded, 1, row * dilation.rates[0], windows.counts[0],
                        windows.strides[0]);
      part = slice(part, 2, column * dilation.rates[1], windows.counts[1],
                   windows.strides[1]);
      Expr values =
          part + slice(slice(dilation.shape, 0, row, 1), 1, column, 1);
      Expr isGreater = apply<graph::LessOp>(greatest.values, values);
      SmallVector<bool> rows = insideOf(0, row), columns = insideOf(1, column);
      SmallVector<bool> inside;
      for (bool inRow : rows)
        for (bool inColumn : columns)
          inside.push_back(inRow && inColumn);
      if (llvm::is_contained(inside, false)) {
        auto type = RankedTensorType::get(
            {1, windows.counts[0], windows.counts[1], 1}, b.getI1Type());
        Expr mask(b, b.create<graph::ConstantOp>(
                         DenseElementsAttr::get(type, ArrayRef<bool>(inside))));
        isGreater = apply<graph::LogicalAndOp>(isGreater, mask);
      }
      auto step = static_cast<double>(row * dilation.columns() + column);
      greatest.values = select(isGreater, values, greatest.values);
      greatest.steps =
          select(isGreater, greatest.steps.like(step), greatest.steps);
    }
  return greatest;
}

LogicalResult dilate(Node &node) {
  auto dilation = dilationOf(node);
  return failed(dilation) ? failure()
                          : give(node, greatestOf(*dilation).values);
}

/// 0, 1, ... along one dimension of the results.
Expr along(const Dilation &dilation, int64_t dim) {
  ImplicitLocOpBuilder &b = *dilation.x.b;
  auto type = RankedTensorType::get(dilation.results(), b.getI64Type());
  return Expr(b, make<graph::IotaOp>(b, type, dim));
}

/// Each gradient goes to the pixel, or the shape's value, that gave the sum.
template <bool toShape>
LogicalResult dilateGradient(Node &node) {
  auto dilation = dilationOf(node);
  if (failed(dilation))
    return failure();
  Expr gradient = operand(node, 2), x = dilation->x;
  if (!gradient || gradient.elementType() != x.elementType() ||
      gradient.shape() != ArrayRef<int64_t>(dilation->results()))
    return give(node, Expr());
  Expr steps = greatestOf(*dilation).steps, channels = along(*dilation, 3);
  auto width = static_cast<double>(x.size(3));
  if (toShape)
    return give(node,
                spread(dilation->shape, gradient, steps * width + channels));
  const Windows &windows = dilation->windows;
  auto columns = steps.like(static_cast<double>(dilation->columns()));
  Expr parts[] = {apply<graph::FloorDivOp>(steps, columns),
                  apply<graph::FloorModOp>(steps, columns)};
  Expr positions = along(*dilation, 0);
  for (int64_t i : {0, 1}) {
    Expr at =
        along(*dilation, i + 1) * static_cast<double>(windows.strides[i]) -
        static_cast<double>(windows.low[i]) +
        parts[i] * static_cast<double>(dilation->rates[i]);
    positions = positions * static_cast<double>(x.size(i + 1)) + at;
  }
  return give(node, spread(x, gradient, positions * width + channels));
}

} // namespace

void addMorphologyHandlers(Handlers &handlers) {
  handlers["Dilation2D"] = dilate;
  handlers["Dilation2DBackpropInput"] = dilateGradient<false>;
  handlers["Dilation2DBackpropFilter"] = dilateGradient<true>;
}

} // namespace weir::tensorflow

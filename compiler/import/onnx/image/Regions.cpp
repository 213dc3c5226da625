// Parts of images that boxes mark, and the choice among boxes.

#include "compiler/import/Build.h"
#include "compiler/import/onnx/image/Boxes.h"
#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/image/Sampler.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// Column `i` of boxes, along dimension 0 of `rank`.
Expr column(Expr boxes, int64_t i, int64_t rank) {
  return along(reshape(slice(boxes, 1, i, 1), {boxes.size(0)}), 0, rank);
}

/// Operands: images, boxes [n, 5]: the image, then x, y of two corners.
LogicalResult importMaxRoiPool(Node &node) {
  if (failed(wantFloats(node, 2, 4)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0), boxes = operand(node, 1);
  Integers pooled = node.intsAttr("pooled_shape");
  if (x.rank() != 4 || boxes.rank() != 2 || boxes.size(1) != 5 ||
      pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1 ||
      x.type().getNumElements() == 0)
    return node.error() << "cannot pool boxes " << boxes.type() << " of "
                        << x.type();
  if (pooled[0] > 64 || pooled[1] > 64)
    return node.unsupported("results of this size");
  double scale = node.floatAttr("spatial_scale", 1);
  Expr which =
      cast(reshape(slice(boxes, 1, 0, 1), {boxes.size(0)}), b.getI64Type());
  if (failed(checkImages(node, which, x)))
    return failure();
  Expr seen = gather(widened(x), which, 0);
  Expr isEmpty;
  double none = -std::numeric_limits<double>::infinity();
  // One dimension after the other: of each bin the largest of its pixels.
  for (int64_t side : {0, 1}) {
    int64_t dim = 2 + side, bins = pooled[side], extent = x.size(dim);
    auto corner = [&](int64_t i) {
      Expr at = cast(column(boxes, i, 4), b.getF32Type()) * scale;
      return apply<graph::FloorOp>(at + 0.5);
    };
    Expr begin = corner(2 - side), size = corner(4 - side) - begin + 1;
    size = maximum(size, size.like(1));
    Expr pixel = along(counted(b, extent, b.getI64Type()), dim, 4);
    pixel = cast(pixel, b.getF32Type());
    SmallVector<Expr> parts, missing;
    for (int64_t i = 0; i < bins; ++i) {
      auto n = static_cast<double>(bins), k = static_cast<double>(i);
      Expr low = apply<graph::FloorOp>(size * k / n) + begin;
      Expr high = apply<graph::CeilOp>(size * (k + 1) / n) + begin;
      auto limit = static_cast<double>(extent);
      low = clamp(low, 0, limit);
      high = clamp(high, 0, limit);
      Expr isIn =
          apply<graph::LogicalAndOp>(apply<graph::GreaterEqualOp>(pixel, low),
                                     apply<graph::LessOp>(pixel, high));
      parts.push_back(largest(select(isIn, seen, seen.like(none)), {dim}));
      missing.push_back(apply<graph::GreaterEqualOp>(low, high));
    }
    seen = concat(parts, dim);
    Expr gone = concat(missing, dim);
    if (!seen || !gone)
      return give(node, Expr());
    isEmpty = isEmpty ? apply<graph::LogicalOrOp>(isEmpty, gone) : gone;
  }
  return give(node, cast(select(isEmpty, seen.like(0), seen), x.elementType()));
}

/// Operands: images, filters, offsets of each place that a filter sees, as y
/// and x, a bias and weights of these places.
LogicalResult importDeformConv(Node &node) {
  if (failed(wantFloats(node, 3, 4)))
    return failure();
  Expr x = operand(node, 0), w = operand(node, 1), offsets = operand(node, 2);
  if (x.rank() != 4)
    return node.unsupported("images of other than two dimensions");
  int64_t groups = node.intAttr("group", 1),
          parts = node.intAttr("offset_group", 1);
  auto attribute = [&](StringRef name, size_t count, int64_t otherwise) {
    Integers values = node.intsAttr(name);
    if (values.empty())
      values.assign(count, otherwise);
    values.resize(count, -1);
    return values;
  };
  Integers strides = attribute("strides", 2, 1), pads = attribute("pads", 4, 0),
           dilations = attribute("dilations", 2, 1);
  if (w.rank() != 4 || groups < 1 || parts < 1 || x.size(1) % groups ||
      x.size(1) % parts || w.size(0) % groups || x.size(1) == 0 ||
      w.size(1) != x.size(1) / groups || offsets.rank() != 4)
    return node.error() << "cannot convolve " << x.type() << " with "
                        << w.type();
  Windows windows{Integers(w.shape().drop_front(2)),
                  strides,
                  dilations,
                  {pads[0], pads[1]},
                  {pads[2], pads[3]},
                  {}};
  auto error = [&] { return node.error(); };
  if (failed(checkWindows(error, windows)) ||
      failed(countWindows(error, windows, x.shape().drop_front(2))))
    return failure();
  int64_t batch = x.size(0), rows = windows.counts[0],
          columns = windows.counts[1], kernel = w.size(2) * w.size(3);
  Integers moved{batch, parts * kernel * 2, rows, columns};
  Integers weighed{batch, parts * kernel, rows, columns};
  if (offsets.shape() != ArrayRef<int64_t>(moved) ||
      (node.has(4) && node.shape(4) != ArrayRef<int64_t>(weighed)) ||
      (node.has(3) && node.shape(3) != ArrayRef<int64_t>{w.size(0)}))
    return node.error() << "offsets " << offsets.type()
                        << " do not suit windows of " << w.type();
  Expr wide = widened(x);
  Type work = wide.elementType();
  int64_t positions = kernel * rows * columns;
  offsets =
      reshape(cast(offsets, work), {batch, parts, kernel, 2, rows, columns});
  // Where windows see the images without an offset: [kernel, rows, columns].
  auto regular = [&](int64_t side) {
    SmallVector<double> at;
    for (int64_t k = 0; k < kernel; ++k)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          int64_t step = side ? k % w.size(3) : k / w.size(3);
          at.push_back(static_cast<double>((side ? j : i) * strides[side] -
                                           pads[side] +
                                           step * dilations[side]));
        }
    return constant(node.b, work, {1, positions}, at);
  };
  if (positions > (1 << 22))
    return node.unsupported("images of this size");
  SmallVector<Expr> sampled;
  int64_t width = x.size(1) / parts;
  for (int64_t p = 0; p < parts; ++p) {
    Sampler sampler;
    sampler.x = channelsLast(slice(wide, 1, p * width, width));
    SmallVector<Expr> at;
    for (int64_t side : {0, 1}) {
      Expr own = slice(slice(offsets, 1, p, 1), 3, side, 1);
      at.push_back(regular(side) + reshape(own, {batch, positions}));
    }
    Expr seen = sampler.linear(at);
    if (node.has(4))
      seen = seen *
             reshape(slice(cast(operand(node, 4), work), 1, p * kernel, kernel),
                     {batch, positions, 1});
    sampled.push_back(seen);
  }
  // What each window sees lies in a row of an image of its own.
  Expr seen = concat(sampled, 2);
  seen = reshape(seen, {batch, kernel, rows * columns, x.size(1)});
  if (!seen)
    return give(node, seen);
  seen = transpose(seen, {0, 2, 1, 3});
  Expr filter = reshape(transpose(cast(w, work), {2, 3, 1, 0}),
                        {1, kernel, w.size(1), w.size(0)});
  Windows row{{1, kernel}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {rows * columns, 1}};
  Expr y = convolve(seen, filter, row, groups);
  if (node.has(3))
    y = y + cast(operand(node, 3), work);
  y = reshape(y, {batch, rows, columns, w.size(0)});
  return give(node, cast(channelsFirst(y), x.elementType()));
}

} // namespace

void addRegionHandlers(Handlers &handlers) {
  handlers["MaxRoiPool"] = importMaxRoiPool;
  handlers["DeformConv"] = importDeformConv;
  handlers["NonMaxSuppression"] = importNonMaxSuppression;
}

} // namespace weir::onnx

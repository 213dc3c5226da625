// Images at the places of a grid, and such grids.

#include "compiler/import/Build.h"
#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/image/Sampler.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

/// Operands: images `N, C, spatial...` and a grid `N, places..., dimensions`,
/// whose coordinates run from -1 to 1, the last dimension's first.
static LogicalResult importGridSample(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  Expr x = operand(node, 0), grid = operand(node, 1);
  int64_t spatial = x.rank() - 2;
  if (spatial > 3)
    return node.unsupported("images of more than 3 dimensions");
  if (grid.rank() != x.rank() || grid.size(0) != x.size(0) ||
      grid.shape().back() != spatial || !isa<FloatType>(grid.elementType()) ||
      llvm::is_contained(x.shape(), 0))
    return node.error() << "cannot sample " << x.type() << " at "
                        << grid.type();
  StringRef mode = node.stringAttr("mode", "linear"),
            padding = node.stringAttr("padding_mode", "zeros");
  Sampler sampler;
  sampler.alignCorners = node.intAttr("align_corners") != 0;
  if (padding == "border")
    sampler.outside = Outside::border;
  else if (padding == "reflection")
    sampler.outside = Outside::reflection;
  else if (padding != "zeros")
    return node.error() << "padding mode '" << padding << "' is unknown";
  Expr wide = widened(x);
  sampler.x = channelsLast(wide);
  Integers positions(grid.shape().drop_front().drop_back());
  int64_t count = productOf(positions);
  grid = reshape(cast(grid, wide.elementType()), {x.size(0), count, spatial});
  SmallVector<Expr> at;
  for (int64_t d = 0; d < spatial; ++d) {
    Expr unit = reshape(slice(grid, 2, spatial - 1 - d, 1), {x.size(0), count});
    auto size = static_cast<double>(x.size(d + 2));
    at.push_back(sampler.alignCorners ? (unit + 1) / 2.0 * (size - 1)
                                      : ((unit + 1) * size - 1) / 2.0);
  }
  Expr y;
  if (mode == "nearest")
    y = sampler.nearest(at);
  else if (mode == "linear" || mode == "bilinear")
    y = sampler.linear(at);
  else if (mode == "cubic" || mode == "bicubic")
    y = sampler.cubic(at);
  else
    return node.error() << "mode '" << mode << "' is unknown";
  Integers shape{x.size(0)};
  llvm::append_range(shape, positions);
  shape.push_back(x.size(1));
  return give(node, cast(channelsFirst(reshape(y, shape)), x.elementType()));
}

/// The sizes [N, C, spatial...] at operand 1; where only the run knows them,
/// those that the model says of the grid [N, spatial..., d], which it checks.
static FailureOr<Integers> sizesOf(Node &node) {
  if (node.tryConstant(1))
    return node.integers(1);
  auto shape = promisedShape(node, 0, "operand 1");
  if (failed(shape))
    return failure();
  Expr given = operand(node, 1);
  auto count = static_cast<int64_t>(shape->size());
  if (count < 3 || given.shape() != ArrayRef<int64_t>{count})
    return node.error() << "cannot make a grid [" << *shape << "] of sizes "
                        << given.type();
  Integers sizes{shape->front(), 1};
  sizes.append(shape->begin() + 1, shape->end() - 1);
  // Channels have no part in a grid.
  Expr same =
      equal(concat({slice(given, 0, 0, 1), slice(given, 0, 2, count - 2)}, 0),
            concat({list(node, {sizes[0]}),
                    list(node, ArrayRef(sizes).drop_front(2))},
                   0));
  if (failed(check(node, same, "the grid has other sizes than the model says")))
    return failure();
  return sizes;
}

/// Operands: matrices [N, d, d + 1] and the sizes [N, C, spatial...] of the
/// images that the grid is for.
static LogicalResult importAffineGrid(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  auto sizes = sizesOf(node);
  if (failed(sizes))
    return failure();
  Expr theta = operand(node, 0);
  auto spatial = static_cast<int64_t>(sizes->size()) - 2;
  if ((spatial != 2 && spatial != 3) || theta.rank() != 3 ||
      theta.size(0) != (*sizes)[0] || theta.size(1) != spatial ||
      theta.size(2) != spatial + 1 ||
      llvm::any_of(*sizes, [](int64_t n) { return n < 1; }))
    return node.error() << "cannot make a grid of sizes [" << *sizes << "] by "
                        << theta.type();
  bool alignCorners = node.intAttr("align_corners") != 0;
  Integers positions(sizes->begin() + 2, sizes->end());
  int64_t count = productOf(positions);
  if (count > (1 << 24))
    return node.unsupported("grids of this size");
  // Homogeneous coordinates of every place, the last dimension's first.
  SmallVector<Expr> columns;
  for (int64_t d = spatial - 1; d >= 0; --d) {
    SmallVector<double> steps;
    auto size = static_cast<double>(positions[d]);
    for (int64_t i = 0; i < positions[d]; ++i) {
      double at =
          alignCorners
              ? (size > 1 ? 2.0 * static_cast<double>(i) / (size - 1) - 1 : 0)
              : (2.0 * static_cast<double>(i) + 1) / size - 1;
      steps.push_back(at);
    }
    Expr line =
        along(constant(node.b, theta.elementType(), {positions[d]}, steps), d,
              spatial);
    columns.push_back(reshape(broadcast(line, positions), {count, 1}));
  }
  columns.push_back(filled(node.b, {count, 1}, theta.elementType(), 1));
  Expr all = concat(columns, 1);
  Integers whole{theta.size(0), count, spatial + 1};
  Expr grid = matmul(broadcast(reshape(all, {1, count, spatial + 1}), whole),
                     theta, false, /*transposeY=*/true);
  Integers shape{theta.size(0)};
  llvm::append_range(shape, positions);
  shape.push_back(spatial);
  return give(node, reshape(grid, shape));
}

void addSampleHandlers(Handlers &handlers) {
  handlers["GridSample"] = importGridSample;
  handlers["AffineGrid"] = importAffineGrid;
}

} // namespace weir::onnx

// Parts of images that boxes mark, sampled between pixels.

#include "compiler/import/build/Steps.h"
#include "compiler/import/onnx/image/Boxes.h"
#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/learned/Labels.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// The most samples a bin has along a side: one a pixel, and no image is
/// larger.
constexpr int64_t maxSamples = 1 << 13;

/// Column `i` of boxes: [boxes, 1].
Expr column(Expr boxes, int64_t i) {
  return reshape(slice(boxes, 1, i, 1), {boxes.size(0), 1});
}

/// Where boxes begin along one side, and what they measure: [boxes, 1].
struct Extent {
  Expr begin, size;
};

/// Samples along one side of boxes: [boxes, samples]. The values where an image
/// of `extent` pixels ends stand for what lies up to a pixel further.
struct Side {
  Side(Expr at, int64_t extent) {
    auto end = static_cast<double>(extent);
    isInside = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(at, at.like(-1)),
        apply<graph::LessEqualOp>(at, at.like(end)));
    at = clamp(at, 0, end - 1);
    lower = apply<graph::FloorOp>(at);
    upper = minimum(lower + 1, at.like(end - 1));
    share = at - lower;
  }

  Expr lower, upper, share, isInside;
};

/// The images, as rows of channels, and which of them each box is of.
class Align {
public:
  Align(Expr x, Expr which, bool isMost)
      : b(*x.b), isMost(isMost), count(which.size(0)), height(x.size(2)),
        width(x.size(3)), channels(x.size(1)) {
    pixels = reshape(channelsLast(x), {x.size(0) * height * width, channels});
    first = along(which, 0, 3) * static_cast<double>(height);
  }

  /// As many samples for each bin, whatever the boxes.
  Expr evenly(Extent down, Extent across, int64_t rows, int64_t columns,
              int64_t samples) {
    Side y(positions(down, rows * samples), height),
        z(positions(across, columns * samples), width);
    Expr value = sampled(y, z, rows * samples, columns * samples);
    value = reshape(value, {count, rows, samples, columns, samples, channels});
    value = isMost ? largest(value, {2, 4}) : mean(value, {2, 4}, true);
    return reshape(value, {count, rows, columns, channels});
  }

  /// About a sample for each pixel of a bin: steps over those of all bins at
  /// once, as many as the largest box needs.
  Expr byPixels(Node &node, Extent down, Extent across, int64_t rows,
                int64_t columns) {
    Expr high = samplesOf(down, rows), wide = samplesOf(across, columns);
    Expr limit = high.like(maxSamples);
    if (failed(check(
            node,
            apply<graph::LogicalAndOp>(apply<graph::LessEqualOp>(high, limit),
                                       apply<graph::LessEqualOp>(wide, limit)),
            "a box is too large for a sample a pixel")))
      return {};
    high = minimum(high, limit), wide = minimum(wide, limit);
    Expr most = greatest(wide);
    Type element = pixels.elementType();
    auto type =
        RankedTensorType::get({count, rows, columns, channels}, element);
    double none = isMost ? -std::numeric_limits<double>::infinity() : 0;
    Expr start(b, graph::build::splat(b, type, none));
    auto step = [&](Expr i, ArrayRef<Expr> before) -> SmallVector<Expr> {
      Expr row = apply<graph::DivOp>(i, most), col = i - row * most;
      row = reshape(cast(row, element), {1, 1});
      col = reshape(cast(col, element), {1, 1});
      Side y(positionsIn(down, rows, row, high), height),
          z(positionsIn(across, columns, col, wide), width);
      Expr value = sampled(y, z, rows, columns);
      Expr counts =
          reshape(apply<graph::LogicalAndOp>(less(row, high), less(col, wide)),
                  {count, 1, 1, 1});
      Expr next = isMost ? maximum(before[0], value) : before[0] + value;
      return {select(counts, next, before[0])};
    };
    Expr all = repeat(b, greatest(high) * most, {start}, step)[0];
    Expr number = reshape(high * wide, {count, 1, 1, 1});
    Expr isEmpty = less(number, number.like(1));
    if (!all)
      return all;
    return select(isEmpty, all.like(0),
                  isMost ? all : all / maximum(number, number.like(1)));
  }

private:
  /// The middles of `parts` equal parts.
  Expr positions(Extent extent, int64_t parts) {
    SmallVector<double> steps;
    for (int64_t i = 0; i < parts; ++i)
      steps.push_back((static_cast<double>(i) + 0.5) /
                      static_cast<double>(parts));
    return extent.begin + extent.size * constant(b, extent.size.elementType(),
                                                 {1, parts}, steps);
  }

  /// Sample `i` of `samples` of each bin.
  Expr positionsIn(Extent extent, int64_t bins, Expr i, Expr samples) {
    SmallVector<double> begins;
    for (int64_t bin = 0; bin < bins; ++bin)
      begins.push_back(static_cast<double>(bin));
    Expr bin = extent.size / static_cast<double>(bins);
    Expr begin =
        bin * constant(b, extent.size.elementType(), {1, bins}, begins);
    Expr some = maximum(samples, samples.like(1));
    return extent.begin + begin + (i + 0.5) * bin / some;
  }

  /// How many samples each box has in a bin.
  static Expr samplesOf(Extent extent, int64_t bins) {
    Expr some = apply<graph::CeilOp>(extent.size / static_cast<double>(bins));
    return maximum(some, some.like(0));
  }

  /// The largest number of samples, at least one: a scalar i64.
  Expr greatest(Expr samples) {
    Expr most = largest(samples, {0, 1});
    most = reshape(maximum(most, most.like(1)), {});
    return cast(most, b.getI64Type());
  }

  /// What lies at the samples, 0 outside of the image.
  Expr sampled(const Side &y, const Side &z, int64_t down, int64_t across) {
    Type i64 = b.getI64Type();
    auto part = [&](Expr row, Expr col, Expr rowShare, Expr colShare) {
      Expr index = (first + reshape(cast(row, i64), {count, down, 1})) *
                       static_cast<double>(width) +
                   reshape(cast(col, i64), {count, 1, across});
      Expr weight = reshape(rowShare, {count, down, 1, 1}) *
                    reshape(colShare, {count, 1, across, 1});
      return gather(pixels, index, 0) * weight;
    };
    Expr parts[4] = {part(y.lower, z.lower, 1 - y.share, 1 - z.share),
                     part(y.lower, z.upper, 1 - y.share, z.share),
                     part(y.upper, z.lower, y.share, 1 - z.share),
                     part(y.upper, z.upper, y.share, z.share)};
    // The largest of the weighted pixels, not of the places between them.
    Expr value = isMost ? maximum(maximum(parts[0], parts[1]),
                                  maximum(parts[2], parts[3]))
                        : parts[0] + parts[1] + parts[2] + parts[3];
    Expr isInside =
        apply<graph::LogicalAndOp>(reshape(y.isInside, {count, down, 1, 1}),
                                   reshape(z.isInside, {count, 1, across, 1}));
    if (!value || !isInside)
      return {};
    return select(isInside, value, value.like(0));
  }

  ImplicitLocOpBuilder &b;
  bool isMost;
  int64_t count, height, width, channels;
  Expr pixels, first;
};

/// Operands: images, boxes [n, 4] as x, y of two corners, the image of each.
LogicalResult importRoiAlign(Node &node) {
  if (failed(wantFloats(node, 3, 4)))
    return failure();
  Expr x = operand(node, 0), boxes = operand(node, 1), which = operand(node, 2);
  int64_t rows = node.intAttr("output_height", 1),
          columns = node.intAttr("output_width", 1),
          samples = node.intAttr("sampling_ratio");
  if (x.rank() != 4 || boxes.rank() != 2 || boxes.size(1) != 4 ||
      which.rank() != 1 || which.size(0) != boxes.size(0) || rows < 1 ||
      columns < 1 || rows > (1 << 16) || columns > (1 << 16) || samples < 0 ||
      x.type().getNumElements() == 0 || !isa<IntegerType>(which.elementType()))
    return node.error() << "cannot align boxes " << boxes.type() << " of "
                        << x.type();
  if (samples > 64)
    return node.unsupported("more than 64 samples of a bin");
  StringRef mode = node.stringAttr("mode", "avg");
  if (mode != "avg" && mode != "max")
    return node.error() << "mode '" << mode << "' is unknown";
  StringRef positions =
      node.stringAttr("coordinate_transformation_mode",
                      node.opset() >= 16 ? "half_pixel" : "output_half_pixel");
  if (positions != "half_pixel" && positions != "output_half_pixel")
    return node.error() << "coordinate_transformation_mode '"
                        << escaped(positions, 30) << "' is unknown";
  bool halfPixel = positions == "half_pixel";
  double scale = node.floatAttr("spatial_scale", 1),
         shift = halfPixel ? 0.5 : 0;
  Expr wide = widened(x);
  Expr corners = cast(boxes, wide.elementType()) * scale - shift;
  auto extent = [&](int64_t i) {
    Extent side{column(corners, i), Expr()};
    side.size = column(corners, i + 2) - side.begin;
    if (!halfPixel)
      side.size = maximum(side.size, side.size.like(1));
    return side;
  };
  which = cast(which, node.b.getI64Type());
  if (failed(checkImages(node, which, x)))
    return failure();
  Align align(wide, which, mode == "max");
  Expr value = samples
                   ? align.evenly(extent(1), extent(0), rows, columns, samples)
                   : align.byPixels(node, extent(1), extent(0), rows, columns);
  if (!value)
    return give(node, value);
  return give(node, cast(channelsFirst(value), x.elementType()));
}

} // namespace

void addRoiAlignHandlers(Handlers &handlers) {
  handlers["RoiAlign"] = importRoiAlign;
}

} // namespace weir::onnx

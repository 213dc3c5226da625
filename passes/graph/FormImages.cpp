// Rewrites 1-D and 3-D convolutions to 2-D ones, for which kernels exist.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/build/Windows.h"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FORMIMAGES
#include "passes/graph/Passes.h.inc"

namespace {

using namespace graph::build;

/// For each layer of results, an image whose channels are those of all layers
/// of a window.
Expr layersAsChannels(Expr x, graph::ConvolutionOp op, int64_t layers,
                      int64_t results) {
  int64_t stride = op.getStrides()[0], dilation = op.getDilations()[0];
  SmallVector<int64_t> low{0, op.getPaddingLow()[0], 0, 0, 0},
      high{0, op.getPaddingHigh()[0], 0, 0, 0};
  if (low[1] || high[1])
    x = pad(x, low, high);
  SmallVector<Expr> parts;
  for (int64_t k = 0; k < layers; ++k)
    parts.push_back(slice(x, 1, k * dilation, results, stride));
  return concat(parts, 4);
}

/// Replaces a 1-D convolution by a 2-D one of images with one row.
void widen(graph::ConvolutionOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Expr x(b, op.getX()), filter(b, op.getFilter());
  RankedTensorType type = op.getType();
  Windows windows{{1, filter.size(0)},         {1, op.getStrides()[0]},
                  {1, op.getDilations()[0]},   {0, op.getPaddingLow()[0]},
                  {0, op.getPaddingHigh()[0]}, {1, type.getDimSize(1)}};
  x = reshape(x, {x.size(0), 1, x.size(1), x.size(2)});
  filter = reshape(filter, {1, filter.size(0), filter.size(1), filter.size(2)});
  Expr made = convolve(x, filter, windows, /*groups=*/1);
  op.replaceAllUsesWith(reshape(made, type.getShape()).value);
  op.erase();
}

/// Whether a 3-D window is one row high and one column wide. All pixels of a
/// layer can then form one row of an image.
bool isOfLayers(graph::ConvolutionOp op) {
  auto are = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values.take_back(2),
                        [&](int64_t value) { return value == wanted; });
  };
  return are(op.getFilter().getType().getShape().take_front(3), 1) &&
         are(op.getStrides(), 1) && are(op.getPaddingLow(), 0) &&
         are(op.getPaddingHigh(), 0);
}

/// Replaces a 3-D convolution with such windows.
void turn(graph::ConvolutionOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Expr x(b, op.getX()), filter(b, op.getFilter());
  RankedTensorType type = op.getType();
  int64_t pixels = x.size(2) * x.size(3);
  Windows windows{{filter.size(0), 1},         {op.getStrides()[0], 1},
                  {op.getDilations()[0], 1},   {op.getPaddingLow()[0], 0},
                  {op.getPaddingHigh()[0], 0}, {type.getDimSize(1), pixels}};
  x = reshape(x, {x.size(0), x.size(1), pixels, x.size(4)});
  filter = reshape(filter, {filter.size(0), 1, filter.size(3), filter.size(4)});
  Expr made = convolve(x, filter, windows, /*groups=*/1);
  op.replaceAllUsesWith(reshape(made, type.getShape()).value);
  op.erase();
}

/// Replaces any other 3-D convolution, unless an intermediate tensor has too
/// many elements.
void flatten(graph::ConvolutionOp op) {
  RankedTensorType type = op.getType();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Expr x(b, op.getX()), filter(b, op.getFilter());
  int64_t images = type.getDimSize(0), layers = filter.size(0),
          results = type.getDimSize(1), channels = layers * x.size(4);
  // No later tensor has more elements than these, or than the present ones.
  SmallVector<int64_t> flat{images * results, x.size(2), x.size(3), channels};
  int64_t padded = x.size(1) + op.getPaddingLow()[0] + op.getPaddingHigh()[0];
  if (!graph::countElements(flat) ||
      !graph::countElements({images, padded, x.size(2), x.size(3), x.size(4)}))
    return;
  x = reshape(layersAsChannels(x, op, layers, results), flat);
  filter = reshape(transpose(filter, {1, 2, 0, 3, 4}),
                   {filter.size(1), filter.size(2), channels, filter.size(4)});
  auto rest = [](ArrayRef<int64_t> values) {
    return SmallVector<int64_t>(values.drop_front());
  };
  Windows windows{{filter.size(0), filter.size(1)},
                  rest(op.getStrides()),
                  rest(op.getDilations()),
                  rest(op.getPaddingLow()),
                  rest(op.getPaddingHigh()),
                  {type.getDimSize(2), type.getDimSize(3)}};
  Expr made = convolve(x, filter, windows, /*groups=*/1);
  op.replaceAllUsesWith(reshape(made, type.getShape()).value);
  op.erase();
}

struct FormImages : impl::FormImagesBase<FormImages> {
  void runOnOperation() override {
    SmallVector<graph::ConvolutionOp> all;
    getOperation()->walk([&](graph::ConvolutionOp op) { all.push_back(op); });
    for (graph::ConvolutionOp op : all) {
      // Groups would have their channels in separate pieces, and quantized
      // convolutions have their own kernels.
      if (op.getGroups() != 1 || getElementTypeOrSelf(op.getX()) !=
                                     getElementTypeOrSelf(op.getFilter()))
        continue;
      if (op.getType().getRank() == 5 && isOfLayers(op))
        turn(op);
      else if (op.getType().getRank() == 5)
        flatten(op);
      // A product of pixels and a matrix does not depend on the image's shape.
      else if (op.getType().getRank() == 3 &&
               op.getFilter().getType().getDimSize(0) > 1)
        widen(op);
    }
  }
};

} // namespace
} // namespace weir::graph

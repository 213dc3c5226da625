// Convolutions and their gradients, which are convolutions of rearranged
// operands.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Graph.h"
#include <numeric>

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// What a node convolves: images with channels last, and a filter whose last
/// dimensions are the channels of one group and all results.
struct Convolution {
  Layout layout;
  bool depthwise = false;

  int64_t groups(ArrayRef<int64_t> images, ArrayRef<int64_t> filter) const {
    int64_t inner = filter.end()[-2];
    if (depthwise)
      return inner;
    return inner > 0 && images.back() % inner == 0 ? images.back() / inner : 1;
  }

  /// The filter of a depthwise node holds for each channel its results.
  SmallVector<int64_t> grouped(ArrayRef<int64_t> filter) const {
    SmallVector<int64_t> shape(filter);
    if (depthwise) {
      shape.back() *= shape.end()[-2];
      shape.end()[-2] = 1;
    }
    return shape;
  }
};

FailureOr<Convolution> convolutionOf(Node &node) {
  int64_t spatial = node.op().starts_with("Conv3D") ? 3 : 2;
  auto layout = layoutOf(node, spatial);
  if (failed(layout))
    return failure();
  return Convolution{*layout, node.op().contains("Depthwise")};
}

LogicalResult forward(Node &node) {
  auto convolution = convolutionOf(node);
  if (failed(convolution))
    return failure();
  Layout layout = convolution->layout;
  Expr x = layout.toLast(operand(node, 0)), filter = operand(node, 1);
  if (!x || !filter || x.rank() != layout.spatial + 2 ||
      filter.rank() != x.rank())
    return give(node, Expr());
  auto windows = windowsOf(node, layout, x.shape().slice(1, layout.spatial),
                           filter.shape().take_front(layout.spatial));
  if (failed(windows))
    return failure();
  if (x.shape().back() == 0 || filter.shape().end()[-2] == 0)
    return node.error() << "convolves images without channels";
  int64_t groups = convolution->groups(x.shape(), filter.shape());
  filter = reshape(filter, convolution->grouped(filter.shape()));
  return give(node, layout.fromLast(convolve(x, filter, *windows, groups)));
}

/// From the results to the images.
LogicalResult backToImages(Node &node) {
  auto convolution = convolutionOf(node);
  if (failed(convolution))
    return failure();
  Layout layout = convolution->layout;
  Expr filter = operand(node, 1), results = layout.toLast(operand(node, 2));
  SmallVector<int64_t> images;
  if (node.op() == "Conv3DBackpropInput") {
    images = layout.toLast(node.shape(0));
  } else {
    auto sizes = node.integers(0);
    if (failed(sizes))
      return failure();
    images = layout.toLast(*sizes);
  }
  if (!filter || !results || filter.rank() != layout.spatial + 2 ||
      images.size() != static_cast<size_t>(layout.spatial + 2) ||
      results.rank() != filter.rank() ||
      llvm::any_of(images, [](int64_t size) { return size < 0; }))
    return give(node, Expr());
  auto windows = windowsOf(node, layout,
                           ArrayRef<int64_t>(images).slice(1, layout.spatial),
                           filter.shape().take_front(layout.spatial));
  if (failed(windows))
    return failure();
  if (ArrayRef<int64_t>(windows->counts) !=
      results.shape().slice(1, layout.spatial))
    return node.error() << "the sizes of the result do not fit to "
                        << results.type();
  int64_t groups = convolution->groups(images, filter.shape());
  filter = reshape(filter, convolution->grouped(filter.shape()));
  Expr x = convolveBack(results, filter, images, *windows, groups);
  if (x && x.shape() != ArrayRef<int64_t>(images))
    x = Expr();
  return give(node, layout.fromLast(x));
}

/// From images and results to the filter: the images, with channels for a
/// batch, are convolved with the results; strides and dilations change places.
LogicalResult backToFilter(Node &node) {
  auto convolution = convolutionOf(node);
  if (failed(convolution))
    return failure();
  Layout layout = convolution->layout;
  Expr x = layout.toLast(operand(node, 0)),
       results = layout.toLast(operand(node, 2));
  SmallVector<int64_t> shape;
  if (node.op() == "Conv3DBackpropFilter") {
    shape.assign(node.shape(1).begin(), node.shape(1).end());
  } else {
    auto sizes = node.integers(1);
    if (failed(sizes))
      return failure();
    shape = *sizes;
  }
  int64_t spatial = layout.spatial;
  if (!x || !results || x.rank() != spatial + 2 ||
      results.rank() != spatial + 2 ||
      shape.size() != static_cast<size_t>(spatial + 2) ||
      llvm::any_of(shape, [](int64_t size) { return size < 1; }))
    return give(node, Expr());
  auto windows = windowsOf(node, layout, x.shape().slice(1, spatial),
                           ArrayRef<int64_t>(shape).take_front(spatial));
  if (failed(windows))
    return failure();
  if (ArrayRef<int64_t>(windows->counts) != results.shape().slice(1, spatial))
    return node.error() << "the sizes of the filter do not fit to "
                        << results.type();
  int64_t groups = convolution->groups(x.shape(), shape);
  SmallVector<int64_t> filter = convolution->grouped(shape);
  return give(
      node,
      reshape(convolveFilter(x, results, filter, *windows, groups), shape));
}

} // namespace

void addConvolutionHandlers(Handlers &handlers) {
  for (const char *name : {"Conv2D", "Conv3D", "DepthwiseConv2dNative"})
    handlers[name] = forward;
  for (const char *name :
       {"Conv2DBackpropInput", "Conv3DBackpropInput", "Conv3DBackpropInputV2",
        "DepthwiseConv2dNativeBackpropInput"})
    handlers[name] = backToImages;
  for (const char *name :
       {"Conv2DBackpropFilter", "Conv3DBackpropFilter",
        "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter"})
    handlers[name] = backToFilter;
}

} // namespace weir::tensorflow

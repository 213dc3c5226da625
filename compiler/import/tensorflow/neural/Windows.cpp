// Reads windows, layouts and paddings off nodes.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace weir::tensorflow {

FailureOr<SmallVector<int64_t>> Layout::spatialAttr(Node &node, StringRef name,
                                                    int64_t otherwise) const {
  if (!node.hasAttr(name))
    return SmallVector<int64_t>(spatial, otherwise);
  SmallVector<int64_t> values = node.intsAttr(name);
  if (values.empty())
    return SmallVector<int64_t>(spatial, otherwise);
  if (values.size() != static_cast<size_t>(spatial + 2))
    return node.error() << "attribute '" << name << "' has " << values.size()
                        << " values, not " << spatial + 2;
  int64_t channel = channelsFirst ? 1 : spatial + 1;
  if (values[0] != 1 || values[channel] != 1) {
    (void)node.unsupported("'" + name + "' across images or channels");
    return failure();
  }
  return SmallVector<int64_t>(
      ArrayRef<int64_t>(values).slice(channelsFirst ? 2 : 1, spatial));
}

Expr Layout::toLast(Expr x) const {
  if (!channelsFirst || !x || x.rank() != spatial + 2)
    return x;
  SmallVector<int64_t> permutation{0};
  for (int64_t i = 0; i < spatial; ++i)
    permutation.push_back(i + 2);
  permutation.push_back(1);
  return transpose(x, permutation);
}

Expr Layout::fromLast(Expr x) const {
  if (!channelsFirst || !x || x.rank() != spatial + 2)
    return x;
  SmallVector<int64_t> permutation{0, spatial + 1};
  for (int64_t i = 0; i < spatial; ++i)
    permutation.push_back(i + 1);
  return transpose(x, permutation);
}

SmallVector<int64_t> Layout::toLast(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> result(shape);
  if (channelsFirst && shape.size() > 2)
    std::rotate(result.begin() + 1, result.begin() + 2, result.end());
  return result;
}

FailureOr<Layout> layoutOf(Node &node, int64_t spatial) {
  StringRef format = node.stringAttr("data_format");
  if (format.empty() || format == "NHWC" || format == "NDHWC")
    return Layout{false, spatial};
  if (format == "NCHW" || format == "NCDHW")
    return Layout{true, spatial};
  (void)node.unsupported("data format '" + format + "'");
  return failure();
}

FailureOr<Windows> windowsOf(Node &node, const Layout &layout,
                             ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> size) {
  auto strides = layout.spatialAttr(node, "strides", 1);
  auto dilations = layout.spatialAttr(node, "dilations", 1);
  if (failed(strides) || failed(dilations))
    return failure();
  Windows windows{SmallVector<int64_t>(size), *strides, *dilations, {}, {}, {}};
  StringRef padding = node.stringAttr("padding");
  SmallVector<int64_t> margins;
  if (padding == "EXPLICIT") {
    margins = node.intsAttr("explicit_paddings");
    if (margins.size() != 2 * static_cast<size_t>(layout.spatial + 2))
      return node.error() << "explicit_paddings has " << margins.size()
                          << " values";
  } else if (padding != "SAME" && padding != "VALID") {
    return node.error() << "padding '" << padding << "' is unknown";
  }

  for (int64_t i = 0; i < layout.spatial; ++i) {
    int64_t stride = (*strides)[i], reach, low = 0, high = 0;
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (size[i] < 1 || stride < 1 || stride > most || (*dilations)[i] < 1 ||
        (*dilations)[i] > most ||
        llvm::MulOverflow(size[i] - 1, (*dilations)[i], reach))
      return node.error() << "windows of " << size[i] << " with stride "
                          << stride << " and dilation " << (*dilations)[i];
    if (padding == "SAME" && extents[i] > 0) {
      int64_t last = (extents[i] - 1) / stride * stride, needed;
      if (llvm::AddOverflow(last - extents[i] + 1, reach, needed))
        return node.error() << "windows reach over " << reach << " elements";
      needed = std::max<int64_t>(needed, 0);
      low = needed / 2;
      high = needed - low;
    } else if (padding == "EXPLICIT") {
      size_t dim = 2 * (i + (layout.channelsFirst ? 2 : 1));
      low = margins[dim];
      high = margins[dim + 1];
    }
    graph::Window window{size[i], stride, (*dilations)[i], low, high};
    std::optional<int64_t> count = graph::windowCount(extents[i], window);
    // Images without elements have no windows.
    if (!count && extents[i] == 0 && low >= 0 && high >= 0)
      count = 0;
    if (!count)
      return node.error() << "a window of " << size[i] << " does not fit into "
                          << extents[i] << " elements";
    windows.low.push_back(low);
    windows.high.push_back(high);
    windows.counts.push_back(*count);
  }
  return windows;
}

Expr convolve(Expr x, Expr filter, const Windows &windows, int64_t groups) {
  if (!x || !filter || x.elementType() != filter.elementType() ||
      x.rank() != filter.rank() || x.rank() < 3 || x.rank() > 5 || groups < 1 ||
      x.shape().back() % groups != 0 || filter.shape().back() % groups != 0 ||
      filter.shape().end()[-2] != x.shape().back() / groups)
    return {};
  ImplicitLocOpBuilder &b = *x.b;
  SmallVector<int64_t> shape{x.size(0)};
  bool empty = false;
  for (auto [i, size] : llvm::enumerate(filter.shape().drop_back(2))) {
    auto count =
        graph::windowCount(x.size(static_cast<int64_t>(i) + 1),
                           {size, windows.strides[i], windows.dilations[i],
                            windows.low[i], windows.high[i]});
    empty |= !count;
    shape.push_back(count.value_or(0));
  }
  shape.push_back(filter.shape().back());
  // A sum of no products, or no sums at all.
  if (empty || llvm::is_contained(shape, 0))
    return Expr(b, splat(b, x.type().clone(shape), 0));
  return Expr(b, make<graph::ConvolutionOp>(
                     b, x.value, filter.value, windows.strides, windows.low,
                     windows.high, windows.dilations, groups));
}

} // namespace weir::tensorflow

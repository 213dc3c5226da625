// Reads windows, layouts and paddings off nodes.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Index.h"

using namespace mlir;

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
  return channelsFirst && x && x.rank() == spatial + 2 ? channelsLast(x) : x;
}

Expr Layout::fromLast(Expr x) const {
  return channelsFirst && x && x.rank() == spatial + 2 ? weir::channelsFirst(x)
                                                       : x;
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
  auto error = [&] { return node.error(); };
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
  if (failed(checkWindows(error, windows)))
    return failure();
  for (int64_t i = 0; i < layout.spatial; ++i) {
    size_t dim = 2 * (i + (layout.channelsFirst ? 2 : 1));
    windows.low.push_back(margins.empty() ? 0 : margins[dim]);
    windows.high.push_back(margins.empty() ? 0 : margins[dim + 1]);
  }
  if ((padding == "SAME" && failed(padToStrides(error, windows, extents))) ||
      failed(countWindows(error, windows, extents)))
    return failure();
  return windows;
}

Expr spread(Expr x, Expr gradient, Expr positions) {
  ImplicitLocOpBuilder &b = *x.b;
  int64_t count = gradient.type().getNumElements();
  Expr zeros(b, splat(b, x.type().clone({x.type().getNumElements()}), 0));
  Expr flat(b, make<graph::ScatterOp>(
                   b, zeros.value, reshape(positions, {count, 1}).value,
                   reshape(gradient, {count}).value, graph::Combiner::add));
  return reshape(flat, x.shape());
}

} // namespace weir::tensorflow

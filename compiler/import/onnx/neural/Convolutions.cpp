// Convolutions and their transposes, of floats and of integers.

#include "compiler/import/onnx/neural/Windows.h"
#include "compiler/import/onnx/quantized/Quantized.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::onnx {

/// Filters with the spatial dimensions first and the first two, exchanged,
/// last.
static Expr filterOf(Expr w) {
  Integers permutation = dimsFrom(2, w.rank());
  permutation.append({1, 0});
  return transpose(w, permutation);
}

/// Operand 0 and the filter at operand `at` are images and a filter of as many
/// dimensions.
static LogicalResult checkImages(Node &node, unsigned at) {
  if (failed(wantOperands(node, at + 1)))
    return failure();
  int64_t rank = node.rank(0);
  if (rank < 3 || node.rank(at) != rank)
    return node.error() << "cannot convolve " << node.type(0) << " with "
                        << node.type(at);
  if (rank > 5)
    return node.unsupported("convolutions along more than 3 dimensions");
  if (node.hasAttr("kernel_shape") &&
      ArrayRef<int64_t>(node.intsAttr("kernel_shape")) !=
          node.shape(at).drop_front(2))
    return node.error() << "its kernel_shape is not that of " << node.type(at);
  int64_t groups = node.intAttr("group", 1);
  if (groups < 1 || node.shape(0)[1] % groups || node.shape(at)[0] % groups ||
      node.shape(0)[1] == 0)
    return node.error() << "cannot convolve " << node.type(0) << " with "
                        << node.type(at) << " in " << groups << " groups";
  return success();
}

/// Images `x` of the node and filters `w`, as they come, convolved; channels
/// stay last.
static FailureOr<Expr> convolved(Node &node, Expr x, Expr w) {
  int64_t groups = node.intAttr("group", 1);
  if (x.size(1) / groups != w.size(1)) {
    node.error() << "filters " << w.type() << " do not take " << x.size(1)
                 << " channels in " << groups << " groups";
    return failure();
  }
  auto windows =
      windowsOf(node, x.shape().drop_front(2), w.shape().drop_front(2));
  if (failed(windows))
    return failure();
  return convolve(channelsLast(x), filterOf(w), *windows, groups);
}

static LogicalResult importConv(Node &node) {
  if (failed(checkImages(node, 1)))
    return failure();
  auto y = convolved(node, operand(node, 0), operand(node, 1));
  if (failed(y))
    return failure();
  if (node.has(2)) {
    if (node.rank(2) != 1 || node.shape(2)[0] != node.shape(1)[0])
      return node.error() << "cannot add " << node.type(2) << " to "
                          << node.shape(1)[0] << " channels";
    *y = *y + operand(node, 2);
  }
  return give(node, channelsFirst(*y));
}

/// Images of the result along each dimension, and the margins that a forward
/// convolution of them would have.
static LogicalResult sizesBack(Node &node, Windows &windows, Integers &images) {
  auto spatial = static_cast<int64_t>(windows.size.size());
  auto extra = spatialAttr(node, "output_padding", spatial, 0);
  if (failed(extra))
    return failure();
  Integers wanted = node.intsAttr("output_shape");
  // It may hold the batch and the channels too.
  if (static_cast<int64_t>(wanted.size()) == spatial + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && static_cast<int64_t>(wanted.size()) != spatial)
    return node.error() << "output_shape has " << wanted.size() << " values";
  StringRef mode = node.stringAttr("auto_pad", "NOTSET");
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!isSame && mode != "VALID" && mode != "NOTSET" && !mode.empty())
    return node.error() << "auto_pad '" << mode << "' is unknown";
  Integers high;
  if (failed(readPads(node, spatial, windows.low, high)))
    return failure();
  windows.high.assign(spatial, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t stride = windows.strides[i], count = windows.counts[i], whole;
    if (int64_t most = std::max(stride, windows.dilations[i]);
        (*extra)[i] >= most)
      return node.error() << "output_padding of " << (*extra)[i]
                          << " is not below its stride or dilation of " << most;
    if ((*extra)[i] < 0 || (*extra)[i] > (1 << 30) ||
        llvm::MulOverflow(std::max<int64_t>(count - 1, 0), stride, whole) ||
        llvm::AddOverflow(whole, (windows.size[i] - 1) * windows.dilations[i],
                          whole) ||
        llvm::AddOverflow(whole, (*extra)[i] + 1, whole))
      return node.error() << "its result is larger than a tensor may be";
    if (wanted.empty() && !isSame) {
      if (mode == "VALID")
        windows.low[i] = high[i] = 0;
      images.push_back(whole - windows.low[i] - high[i]);
    } else {
      int64_t size = wanted.empty() ? count * stride : wanted[i];
      int64_t total = whole - std::max<int64_t>(size, 1);
      if (size < 1 || total < -(*extra)[i] - stride * windows.size[i] - stride)
        return node.error()
               << "cannot make " << size << " elements of " << count;
      // What the windows do not reach is at the end.
      int64_t cut = std::max<int64_t>(total, 0);
      windows.low[i] = mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      images.push_back(size);
    }
    if (images.back() < 1)
      return node.error() << "its margins leave nothing of its result";
  }
  return success();
}

static LogicalResult importConvTranspose(Node &node) {
  if (failed(checkImages(node, 1)))
    return failure();
  Expr x = operand(node, 0), w = operand(node, 1);
  int64_t groups = node.intAttr("group", 1), spatial = x.rank() - 2;
  auto strides = spatialAttr(node, "strides", spatial, 1);
  auto dilations = spatialAttr(node, "dilations", spatial, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  if (w.size(0) != x.size(1))
    return node.error() << "filters " << w.type() << " do not take "
                        << x.size(1) << " channels";
  Windows windows{
      Integers(w.shape().drop_front(2)), *strides, *dilations, {}, {},
      Integers(x.shape().drop_front(2))};
  Integers images;
  if (failed(checkWindows([&] { return node.error(); }, windows)) ||
      failed(sizesBack(node, windows, images)))
    return failure();
  images.insert(images.begin(), x.size(0));
  images.push_back(w.size(1) * groups);
  Expr y = convolveBack(channelsLast(x), filterOf(w), images, windows, groups);
  if (y && y.shape() != ArrayRef<int64_t>(images))
    y = {};
  if (node.has(2) && y) {
    if (node.rank(2) != 1 || node.shape(2)[0] != images.back())
      return node.error() << "cannot add " << node.type(2) << " to "
                          << images.back() << " channels";
    y = y + operand(node, 2);
  }
  return give(node, channelsFirst(y));
}

/// Whole numbers as i32, less their zero point along dimension 0 or of all.
static FailureOr<Expr> centered(Node &node, unsigned x, unsigned zero) {
  Expr wide = cast(operand(node, x), node.b.getI32Type());
  if (!node.has(zero))
    return wide;
  Expr point = cast(operand(node, zero), node.b.getI32Type());
  if (point.type().getNumElements() == 1)
    return wide - reshape(point, {});
  if (point.rank() != 1 || point.size(0) != wide.size(0)) {
    node.error() << "zero points " << node.type(zero) << " do not suit "
                 << node.type(x);
    return failure();
  }
  return wide - along(point, 0, wide.rank());
}

static LogicalResult importConvInteger(Node &node) {
  if (failed(checkImages(node, 1)))
    return failure();
  for (unsigned i : {0, 1})
    if (!node.element(i).isInteger(8))
      return node.error() << "does not take " << node.type(i);
  if (node.has(2) && node.type(2).getNumElements() != 1)
    return node.error() << "zero points " << node.type(2) << " of images";
  auto x = centered(node, 0, 2), w = centered(node, 1, 3);
  if (failed(x) || failed(w))
    return failure();
  auto y = convolved(node, *x, *w);
  return failed(y) ? failure() : give(node, channelsFirst(*y));
}

/// Operands: x, its scale and zero point; w, its scales and zero points; the
/// scale and zero point of the result; a bias of i32.
static LogicalResult importQLinearConv(Node &node) {
  if (failed(wantOperands(node, 8)) || failed(checkImages(node, 3)))
    return failure();
  for (unsigned i : {1, 2, 6, 7})
    if (node.type(i).getNumElements() != 1)
      return node.error() << "operand " << i << " is " << node.type(i);
  auto x = centered(node, 0, 2), w = centered(node, 3, 5);
  if (failed(x) || failed(w))
    return failure();
  auto sums = convolved(node, *x, *w);
  if (failed(sums))
    return failure();
  Expr y = *sums;
  if (node.has(8)) {
    if (node.rank(8) != 1 || node.shape(8)[0] != node.shape(3)[0])
      return node.error() << "cannot add " << node.type(8);
    y = y + cast(operand(node, 8), node.b.getI32Type());
  }
  Type f32 = node.b.getF32Type();
  auto scale = [&](unsigned i) {
    Expr e = cast(operand(node, i), f32);
    return e.type().getNumElements() == 1 ? reshape(e, {}) : e;
  };
  Expr factor = scale(1) * scale(4) / scale(6);
  return give(node, channelsFirst(saturated(cast(y, f32) * factor,
                                            reshape(operand(node, 7), {}))));
}

void addConvolutionHandlers(Handlers &handlers) {
  handlers["Conv"] = importConv;
  handlers["ConvTranspose"] = importConvTranspose;
  handlers["ConvInteger"] = importConvInteger;
  handlers["QLinearConv"] = importQLinearConv;
}

} // namespace weir::onnx

// Nodes that were experiments in the first versions of ONNX, until opset 10
// took them away: exporters of that time wrote them.

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Operand 0 of floats; an error in later versions, which have no such op.
FailureOr<Expr> removed(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  if (node.opset() >= 10)
    return node.error() << "is of no op of opset " << node.opset();
  return operand(node, 0);
}

LogicalResult importAffine(Node &node) {
  auto x = removed(node);
  return failed(x) ? failure()
                   : give(node, *x * node.floatAttr("alpha", 1) +
                                    node.floatAttr("beta"));
}

LogicalResult importScale(Node &node) {
  auto x = removed(node);
  return failed(x) ? failure() : give(node, *x * node.floatAttr("scale", 1));
}

LogicalResult importScaledTanh(Node &node) {
  auto x = removed(node);
  return failed(x) ? failure()
                   : give(node, tanh(*x * node.floatAttr("beta", 1)) *
                                    node.floatAttr("alpha", 1));
}

LogicalResult importParametricSoftplus(Node &node) {
  auto x = removed(node);
  return failed(x)
             ? failure()
             : give(node,
                    apply<graph::SoftplusOp>(*x * node.floatAttr("beta", 1)) *
                        node.floatAttr("alpha", 1));
}

/// Images N, C, H, W by one factor, and a shift for each channel.
LogicalResult importImageScaler(Node &node) {
  auto x = removed(node);
  if (failed(x))
    return failure();
  SmallVector<float> bias = node.floatsAttr("bias");
  SmallVector<double> wide(bias.begin(), bias.end());
  auto channels = static_cast<int64_t>(bias.size());
  if (x->rank() != 4 || x->size(1) != channels)
    return node.error() << "shifts " << channels << " channels of "
                        << x->type();
  Expr shift = constant(node.b, x->elementType(), {channels, 1, 1}, wide);
  return give(node, *x * node.floatAttr("scale", 1) + shift);
}

/// Images without a border, left, top, right and bottom; or of the size `scale`
/// from the left and top of it.
LogicalResult importCrop(Node &node) {
  auto x = removed(node);
  if (failed(x))
    return failure();
  Integers border = node.intsAttr("border"), scale = node.intsAttr("scale");
  bool fits = x->rank() == 4 && border.size() == 4 &&
              (scale.empty() || scale.size() == 2);
  Expr y = *x;
  for (int64_t side = 0; fits && side < 2; ++side) {
    // Columns first.
    int64_t dim = 3 - side, size = x->size(dim), first = border[side],
            last = border[side + 2];
    fits = first >= 0 && last >= 0 && first <= size && last <= size - first;
    int64_t count = size - first - last;
    if (fits && !scale.empty()) {
      count = scale[1 - side];
      fits = count >= 0 && count <= size - first;
    }
    if (fits)
      y = slice(y, dim, first, count);
  }
  if (!fits)
    return node.error() << "cannot crop " << x->type();
  return give(node, y);
}

} // namespace

void addRemovedHandlers(Handlers &handlers) {
  handlers["Affine"] = importAffine;
  handlers["Crop"] = importCrop;
  handlers["ImageScaler"] = importImageScaler;
  handlers["ParametricSoftplus"] = importParametricSoftplus;
  handlers["Scale"] = importScale;
  handlers["ScaledTanh"] = importScaledTanh;
}

} // namespace weir::onnx

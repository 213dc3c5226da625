// Nodes that TensorFlow's graph optimizer makes of several: a product,
// convolution or normalization with what is done to its result.

#include "compiler/import/tensorflow/neural/Fused.h"

#include "compiler/import/Names.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The first result of another op's handler on the node.
FailureOr<Expr> resultAs(Node &node, StringRef op) {
  if (failed(handlers().find(op)->second.run(node)) || node.given.empty())
    return failure();
  return Expr(node.b, std::exchange(node.given, {}).front().value);
}

/// The strings of a list; failure where it is absent.
FailureOr<SmallVector<StringRef>> names(Node &node, StringRef attribute) {
  const auto *list = node.listAttr(attribute, "strings");
  if (!list)
    return node.missing(attribute);
  return SmallVector<StringRef>(list->s().begin(), list->s().end());
}

/// gelu(x) = x * Phi(x), with Phi the normal distribution or, approximately, as
/// a hyperbolic tangent (Hendrycks and Gimpel, 2016).
Expr gelu(Expr x, bool exact) {
  Expr share = exact ? apply<graph::ErfOp>(x * 0.70710678118654752)
                     : tanh((x + x * x * x * 0.044715) * 0.79788456080286536);
  return x * (share + 1) * 0.5;
}

/// A function of one operand by the name of its op; without a value where there
/// is none.
Expr applyNamed(Node &node, StringRef op, Expr x) {
  ImplicitLocOpBuilder &b = node.b;
  if (!x)
    return x;
  if (op == "LeakyRelu") {
    FloatAttr alpha =
        b.getF64FloatAttr(node.floatAttr("leakyrelu_alpha", 0.2f));
    return Expr(b, make<graph::LeakyReluOp>(b, x.type(), x.value, alpha));
  }
  if (op == "GeluApproximate" || op == "GeluExact")
    return gelu(x, op == "GeluExact");
  auto found = tensorflowNames().find(op);
  if (found == tensorflowNames().end())
    return {};
  auto name = RegisteredOperationName::lookup(found->second, b.getContext());
  if (!name || !name->hasTrait<OpTrait::OneOperand>() ||
      !name->hasTrait<OpTrait::SameOperandsAndResultType>() ||
      !name->hasInterface<graph::ScalarOpInterface>())
    return {};
  OperationState state(b.getLoc(), *name);
  state.addOperands(x.value);
  state.addTypes(x.value.getType());
  return Expr(b, makeChecked(b, state));
}

/// `x` with channels at `channel` after the node's fused ops, whose operands
/// begin at `next`.
LogicalResult giveFused(Node &node, Expr x, int64_t channel, unsigned next) {
  auto ops = names(node, "fused_ops");
  if (failed(ops))
    return failure();
  auto along = [&](Expr vector) {
    if (!x || !vector || vector.rank() != 1 ||
        vector.size(0) != x.size(channel))
      return Expr();
    SmallVector<int64_t> shape(x.rank(), 1);
    shape[channel] = vector.size(0);
    return reshape(vector, shape);
  };
  for (StringRef op : *ops) {
    if (op == "BiasAdd") {
      x = x + along(operand(node, next++));
    } else if (op == "Add") {
      Expr other = operand(node, next++);
      x = x && other && x.type() == other.type() ? x + other : Expr();
    } else if (op == "FusedBatchNorm") {
      Expr scale = operand(node, next), offset = operand(node, next + 1),
           mean = operand(node, next + 2), variance = operand(node, next + 3);
      next += 4;
      Expr normal = rsqrt(variance + node.floatAttr("epsilon", 1e-4f)) * scale;
      x = x * along(normal) + along(offset - mean * normal);
    } else {
      Expr y = applyNamed(node, op, x);
      if (x && !y)
        return node.unsupported("fused op '" + op + "'");
      x = y;
    }
  }
  return give(node, x);
}

LogicalResult convolution(Node &node) {
  bool isDepthwise = node.op() == "_FusedDepthwiseConv2dNative";
  auto x = resultAs(node, isDepthwise ? "DepthwiseConv2dNative" : "Conv2D");
  if (failed(x))
    return failure();
  bool first = node.stringAttr("data_format") == "NCHW";
  return giveFused(node, *x, first ? 1 : 3, 2);
}

LogicalResult product(Node &node) {
  if (node.size() < 2 || node.rank(0) != 2 || node.rank(1) != 2)
    return node.error() << "does not multiply two matrices";
  auto x = resultAs(node, "MatMul");
  return failed(x) ? failure() : giveFused(node, *x, 1, 2);
}

/// A normalization, a tensor added to it, and an activation.
LogicalResult normalization(Node &node) {
  int64_t sides = node.intAttr("num_side_inputs", 0);
  StringRef mode = node.stringAttr("activation_mode", "Identity");
  if (sides < 0 || sides > 1 || node.size() != 5 + sides)
    return node.error() << "has " << node.size() << " operands for " << sides
                        << " side inputs";
  if (mode != "Identity" && mode != "Relu")
    return node.unsupported("activation '" + mode + "'");
  if (failed(handlers().find("FusedBatchNormV3")->second.run(node)))
    return failure();
  if (node.given.size() != 5 || !node.given[0].value)
    return success();
  // What the gradient may reserve is nothing here.
  Type statistics = typeOf(node.given[1].value).getElementType();
  node.given.push_back(
      {splat(node.b, RankedTensorType::get({0}, statistics), 0), {}, nullptr});
  Expr y(node.b, node.given[0].value);
  if (sides)
    y = y.type() == node.type(5) ? y + operand(node, 5) : Expr();
  node.given[0].value = (mode == "Relu" ? apply<graph::ReluOp>(y) : y).value;
  return success();
}

LogicalResult composition(Node &node) {
  auto ops = names(node, "op_names");
  if (failed(ops))
    return failure();
  if (node.size() != 1)
    return node.error() << "has " << node.size() << " operands instead of 1";
  Expr x = operand(node, 0);
  for (StringRef op : *ops) {
    Expr y = applyNamed(node, op, x);
    if (!y)
      return node.unsupported("function '" + op + "' of its operand");
    x = y;
  }
  return give(node, x);
}

} // namespace

void addFusedHandlers(Handlers &handlers) {
  handlers["_FusedConv2D"] = convolution;
  handlers["_FusedDepthwiseConv2dNative"] = convolution;
  handlers["_FusedMatMul"] = product;
  handlers["_FusedBatchNormEx"] = normalization;
  handlers["_UnaryOpsComposition"] = composition;
}

} // namespace weir::tensorflow

// Softmax and its kin, and losses made of it.

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {
namespace {

template <typename Op>
Expr alongLast(Expr x) {
  return apply<Op>(x);
}

/// 1 at the first of the greatest elements, 0 elsewhere.
Expr hardmax(Expr x) {
  int64_t last = x.rank() - 1;
  Integers shape(x.shape().drop_back());
  auto type = RankedTensorType::get(shape, x.b->getI64Type());
  Value position =
      make<graph::ArgMaxOp>(*x.b, type, x.value, x.b->getI64IntegerAttr(last));
  return {*x.b, make<graph::OneHotOp>(*x.b, position, x.like(1).value,
                                      x.like(0).value,
                                      static_cast<uint64_t>(x.size(last)),
                                      static_cast<uint64_t>(last))};
}

/// `function` along an axis, which is moved to the end and back.
template <Expr function(Expr)>
Expr alongAxis(Expr x, int64_t axis) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[axis], order.back());
  return transpose(function(transpose(x, order)), order);
}

/// Before opset 13 all dimensions from the axis on count as one.
template <Expr function(Expr)>
LogicalResult importAlong(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr x = operand(node, 0);
  bool flattens = node.opset() < 13;
  int64_t given = node.intAttr("axis", flattens ? 1 : -1);
  if (x.rank() == 0)
    return give(node, reshape(function(reshape(x, 1)), {}));
  FailureOr<int64_t> axis = node.axis(given, x.rank());
  if (failed(axis))
    return failure();
  if (x.type().getNumElements() == 0)
    return give(node, x);
  if (!flattens)
    return give(node, alongAxis<function>(x, *axis));
  Integers rows(x.shape().take_front(*axis));
  rows.push_back(1);
  for (int64_t size : x.shape().drop_front(*axis))
    rows.back() *= size;
  return give(node, reshape(function(reshape(x, rows)), x.shape()));
}

/// Losses of N x D1 x ... of the logarithms N x C x D1 x ..., by the class
/// that `target` names; weighted where there are weights.
LogicalResult giveLoss(Node &node, Expr logs, SmallVector<Expr> more) {
  Expr target = operand(node, 1), weights = operand(node, 2);
  StringRef reduction = node.stringAttr("reduction", "mean");
  Integers positions(logs.shape());
  if (positions.size() > 1)
    positions.erase(positions.begin() + 1);
  if (logs.rank() < 2 || target.shape() != ArrayRef(positions) ||
      !isOf(target.elementType(), Elements::integers))
    return node.error() << "has no class in " << target.type()
                        << " for each of " << logs.type();
  Type type = logs.elementType();
  int64_t classes = logs.size(1);
  if (weights && (weights.rank() != 1 || weights.size(0) != classes ||
                  weights.elementType() != type))
    return node.error() << "has weights " << weights.type() << " for "
                        << classes << " classes";
  target = cast(target, node.b.getI64Type());
  Expr isCounted, position = target;
  if (node.hasAttr("ignore_index")) {
    Expr ignored = number(node, node.intAttr("ignore_index"));
    isCounted = isFalse(equal(target, ignored));
    position = select(isCounted, target, number(node, 0));
  }
  if (failed(check(node,
                   inRange(position, number(node, 0), number(node, classes)),
                   "names a class that there is not")))
    return failure();
  // 1 at the class and 0 elsewhere, in the place of the classes.
  auto mask = [&](double on, Expr of) {
    return Expr(node.b,
                make<graph::OneHotOp>(
                    node.b, of.value, logs.like(on).value, logs.like(0).value,
                    static_cast<uint64_t>(classes), uint64_t(1)));
  };
  Expr chosen = mask(1, position);
  Expr isChosen = isFalse(equal(chosen, logs.like(0)));
  Expr loss = -sum(select(isChosen, logs, logs.like(0)), 1);
  Expr weight = filled(node, loss.shape(), type, 1);
  if (weights) {
    Integers shape(logs.rank(), 1);
    shape[1] = classes;
    weight = sum(chosen * reshape(weights, shape), 1);
  }
  if (isCounted)
    weight = select(isCounted, weight, weight.like(0));
  // Not by a product: what is not counted may be infinite.
  loss = isCounted ? select(isCounted, loss * weight, loss.like(0))
                   : loss * weight;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  if (reduction == "sum")
    loss = sum(loss, all);
  else if (reduction == "mean")
    loss = cast(sum(widened(loss), all) / sum(widened(weight), all), type);
  else if (reduction != "none")
    return node.error() << "has reduction '" << escaped(reduction, 20)
                        << "', which is none of none, sum and mean";
  more.insert(more.begin(), loss);
  return give(node, more);
}

LogicalResult importNegativeLogLikelihood(Node &node) {
  if (failed(wantOperands(node, 2, 3)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  return giveLoss(node, operand(node, 0), {});
}

LogicalResult importSoftmaxCrossEntropy(Node &node) {
  if (failed(wantOperands(node, 2, 3)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr scores = operand(node, 0);
  if (scores.rank() < 2)
    return node.error() << "has no classes in " << scores.type();
  Expr logs = alongAxis<alongLast<graph::LogSoftmaxOp>>(scores, 1);
  return giveLoss(node, logs, {logs});
}

} // namespace

void addSoftmaxHandlers(Handlers &handlers) {
  handlers["Hardmax"] = importAlong<hardmax>;
  handlers["LogSoftmax"] = importAlong<alongLast<graph::LogSoftmaxOp>>;
  handlers["NegativeLogLikelihoodLoss"] = importNegativeLogLikelihood;
  handlers["Softmax"] = importAlong<alongLast<graph::SoftmaxOp>>;
  handlers["SoftmaxCrossEntropyLoss"] = importSoftmaxCrossEntropy;
}

} // namespace weir::onnx

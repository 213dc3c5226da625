// Elementwise nodes that are more than one op: those with attributes, with
// operands that an error depends on, and with sums of many operands.

#include "compiler/import/build/Replaced.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/elementwise/Quantize.h"
#include "compiler/import/tensorflow/elementwise/SpecialNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Quotients and remainders: TensorFlow reports an integer division by zero.
template <typename Op, Elements elements>
LogicalResult importDivision(Node &node) {
  auto operands = operandsOf(node, 2, elements);
  if (failed(operands))
    return failure();
  Expr x = (*operands)[0], y = (*operands)[1];
  if (isa<IntegerType>(y.elementType()) &&
      failed(check(node, apply<graph::NotEqualOp>(operand(node, 1), y.like(0)),
                   "integer division by zero")))
    return failure();
  return give(node, apply<Op>(x, y));
}

LogicalResult importPow(Node &node) {
  auto operands = operandsOf(node, 2, Elements::numbers);
  if (failed(operands))
    return failure();
  Expr x = (*operands)[0], y = (*operands)[1];
  if (y.elementType().isSignlessInteger() &&
      failed(check(node,
                   apply<graph::GreaterEqualOp>(operand(node, 1), y.like(0)),
                   "an integer to a negative integer power")))
    return failure();
  return give(node, apply<graph::PowOp>(x, y));
}

/// Version 1 does not broadcast, but for a predicate that is a scalar or one
/// for each row of the others.
LogicalResult importSelect(Node &node) {
  if (node.size() != 3)
    return node.error() << "has " << node.size() << " operands instead of 3";
  Expr p = operand(node, 0), x = operand(node, 1), y = operand(node, 2);
  if (!p.elementType().isInteger(1) || x.type() != y.type())
    return node.error() << "does not select of " << x.type() << " and "
                        << y.type() << " by " << p.type();
  if (p.rank() == 1 && x.rank() > 1) {
    if (p.size(0) != x.size(0))
      return node.error() << "has " << p.size(0) << " Booleans for "
                          << x.size(0) << " rows";
    SmallVector<int64_t> shape(x.rank(), 1);
    shape[0] = p.size(0);
    p = reshape(p, shape);
  } else if (p.rank() != 0 && p.shape() != x.shape()) {
    return node.error() << "does not select of " << x.type() << " by "
                        << p.type();
  }
  return give(node, select(p, x, y));
}

LogicalResult importSelectV2(Node &node) {
  if (node.size() != 3)
    return node.error() << "has " << node.size() << " operands instead of 3";
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < 3; ++i)
    operands.push_back(operand(node, i));
  if (!operands[0].elementType().isInteger(1) ||
      operands[1].elementType() != operands[2].elementType())
    return node.error() << "does not select of " << operands[1].type()
                        << " and " << operands[2].type() << " by "
                        << operands[0].type();
  if (Expr y = replacedPart(operands[0], operands[1], operands[2]))
    return give(node, y);
  if (failed(broadcastAll(node, operands)))
    return failure();
  return give(node, select(operands[0], operands[1], operands[2]));
}

LogicalResult importClip(Node &node) {
  auto operands = operandsOf(node, 3, Elements::numbers);
  if (failed(operands))
    return failure();
  return node.result(make<graph::ClampOp>(node.b, (*operands)[0].value,
                                          (*operands)[1].value,
                                          (*operands)[2].value));
}

LogicalResult importLeakyRelu(Node &node) {
  auto operands = operandsOf(node, 1, Elements::floats);
  if (failed(operands))
    return failure();
  Expr x = (*operands)[0];
  return node.result(make<graph::LeakyReluOp>(
      node.b, x.type(), x.value,
      node.b.getF64FloatAttr(node.floatAttr("alpha", 0.2f))));
}

LogicalResult importApproximateEqual(Node &node) {
  auto operands = operandsOf(node, 2, Elements::numbers);
  if (failed(operands))
    return failure();
  Expr x = (*operands)[0], y = (*operands)[1];
  return give(node,
              apply<graph::LessOp>(apply<graph::AbsOp>(x - y),
                                   x.like(node.floatAttr("tolerance", 1e-5f))));
}

/// Equal and NotEqual, which may also be told to give false (true) for shapes
/// that do not broadcast.
template <typename Op>
LogicalResult importEquality(Node &node) {
  if (!node.boolAttr("incompatible_shape_error", true) && node.size() == 2 &&
      failed(broadcastShapes(node.shape(0), node.shape(1)))) {
    auto type = RankedTensorType::get({}, node.b.getI1Type());
    bool differ = std::is_same_v<Op, graph::NotEqualOp>;
    return node.result(splat(node.b, type, differ));
  }
  auto operands = operandsOf(node, 2, Elements::any);
  if (failed(operands))
    return failure();
  return give(node, apply<Op>((*operands)[0], (*operands)[1]));
}

/// Sums of any number of tensors of one shape.
LogicalResult importAddN(Node &node) {
  for (unsigned i = 1; i < node.size(); ++i)
    if (node.type(i) != node.type(0))
      return node.error() << "its operands differ in type: " << node.type(0)
                          << " and " << node.type(i);
  auto operands = operandsOf(node, 0, Elements::numbers);
  if (failed(operands))
    return failure();
  Expr sum = operands->front();
  for (Expr x : ArrayRef(*operands).drop_front())
    sum = sum + x;
  return give(node, sum);
}

LogicalResult importCheckNumerics(Node &node) {
  auto operands = operandsOf(node, 1, Elements::floats);
  if (failed(operands))
    return failure();
  Expr x = operands->front();
  StringRef message = node.stringAttr("message", "");
  if (failed(check(node, apply<graph::IsFiniteOp>(x),
                   message.take_front(200) + (message.empty() ? "" : ": ") +
                       "an element is not a finite number")))
    return failure();
  return node.result(x.value);
}

/// How many boundaries (ascending) are not above each element.
LogicalResult importBucketize(Node &node) {
  auto operands = operandsOf(node, 1, Elements::numbers);
  if (failed(operands))
    return failure();
  Expr x = operands->front();
  SmallVector<float> boundaries = node.floatsAttr("boundaries");
  if (!llvm::is_sorted(boundaries))
    return node.error() << "its boundaries do not ascend";
  auto count = RankedTensorType::get(x.shape(), node.b.getI32Type());
  if (boundaries.empty())
    return node.result(splat(node.b, count, 0));
  SmallVector<double> values(boundaries.begin(), boundaries.end());
  SmallVector<int64_t> columns(x.shape());
  columns.push_back(1);
  Type wide = node.b.getF64Type();
  Expr limits =
      constant(node.b, wide, {static_cast<int64_t>(values.size())}, values);
  Expr above =
      apply<graph::GreaterEqualOp>(reshape(cast(x, wide), columns), limits);
  return give(node, sum(cast(above, node.b.getI32Type()), {x.rank()}));
}

} // namespace

void addElementwiseHandlers(Handlers &handlers) {
  handlers["Div"] = importDivision<graph::DivOp, Elements::numbers>;
  handlers["RealDiv"] = importDivision<graph::DivOp, Elements::numbers>;
  handlers["TruncateDiv"] = importDivision<graph::DivOp, Elements::integers>;
  handlers["FloorDiv"] = importDivision<graph::FloorDivOp, Elements::numbers>;
  handlers["Mod"] = importDivision<graph::ModOp, Elements::numbers>;
  handlers["TruncateMod"] = importDivision<graph::ModOp, Elements::numbers>;
  handlers["FloorMod"] = importDivision<graph::FloorModOp, Elements::numbers>;
  handlers["Pow"] = importPow;
  handlers["Select"] = importSelect;
  handlers["SelectV2"] = importSelectV2;
  handlers["ClipByValue"] = importClip;
  handlers["LeakyRelu"] = importLeakyRelu;
  handlers["ApproximateEqual"] = importApproximateEqual;
  handlers["Equal"] = importEquality<graph::EqualOp>;
  handlers["NotEqual"] = importEquality<graph::NotEqualOp>;
  handlers["AddN"] = importAddN;
  handlers["AccumulateNV2"] = importAddN;
  handlers["CheckNumerics"] = importCheckNumerics;
  handlers["CheckNumericsV2"] = importCheckNumerics;
  handlers["Bucketize"] = importBucketize;
  addCastHandlers(handlers);
  addComplexResultHandlers(handlers);
  addGradientHandlers(handlers);
  addFakeQuantHandlers(handlers);
  addQuantizeHandlers(handlers);
  addSpecialHandlers(handlers);
}

} // namespace weir::tensorflow

// Elementwise nodes that are more than one op: those with attributes, and with
// operands that are not alike.

#include "compiler/import/build/Replaced.h"
#include "compiler/import/onnx/ByName.h"
#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Until opset 6 and for floats `fmod` picks the remainder whose sign is the
/// dividend's; else it is the divisor's.
LogicalResult importMod(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  auto operands = alike(node, Elements::numbers);
  if (failed(operands))
    return failure();
  Expr x = (*operands)[0], y = (*operands)[1];
  return give(node, node.intAttr("fmod") ? apply<graph::ModOp>(x, y)
                                         : apply<graph::FloorModOp>(x, y));
}

/// Whether the exponents, integers, are constants that floats of `bits`
/// significant bits hold.
bool areHeld(Node &node, int64_t bits) {
  auto exponents = node.tryConstant(1);
  return exponents &&
         llvm::all_of(exponents->getValues<APInt>(), [&](const APInt &n) {
           return n.abs().getActiveBits() <= bits;
         });
}

/// In which type a base and an exponent of different types are computed with:
/// one that holds either, as an exponent's last bit may be a sign.
Type commonType(Node &node, Expr base, Expr exponent) {
  Type type = base.elementType(), other = exponent.elementType();
  unsigned width = other.getIntOrFloatBitWidth();
  auto kind = dyn_cast<FloatType>(type);
  if (isa<FloatType>(other) && !kind)
    return node.b.getF64Type();
  if (isa<FloatType>(other))
    return type;
  if (!kind)
    return width > type.getIntOrFloatBitWidth() ? other : type;
  unsigned bits = kind.getFPMantissaWidth();
  return width <= bits || areHeld(node, bits) ? type : node.b.getF64Type();
}

/// The result has the type of the base; the exponent may be of another.
LogicalResult importPow(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 0, Elements::numbers)) ||
      failed(wantElements(node, 1, Elements::numbers)))
    return failure();
  Value values[] = {node.operand(0), node.operand(1)};
  if (failed(broadcastAll(node, values)))
    return failure();
  Expr x(node.b, values[0]), y(node.b, values[1]);
  Type type = x.elementType(), common = commonType(node, x, y);
  return give(
      node, cast(apply<graph::PowOp>(cast(x, common), cast(y, common)), type));
}

LogicalResult importBitShift(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  auto operands = alike(node, Elements::integers);
  if (failed(operands))
    return failure();
  StringRef direction = node.stringAttr("direction");
  Expr x = (*operands)[0], y = (*operands)[1];
  // The dialect's shifts stop one short of the width.
  Expr isInside = less(y, y.like(x.elementType().getIntOrFloatBitWidth()));
  if (direction == "LEFT")
    return give(node,
                select(isInside, apply<graph::ShiftLeftOp>(x, y), x.like(0)));
  if (direction == "RIGHT")
    return give(node,
                select(isInside, apply<graph::ShiftRightOp>(x, y), x.like(0)));
  return node.error() << "shifts in direction '" << escaped(direction, 20)
                      << "', which is neither LEFT nor RIGHT";
}

/// What several operands come to, two at a time.
template <typename Op, Elements elements>
LogicalResult importVariadic(Node &node) {
  auto operands = alike(node, elements);
  if (failed(operands))
    return failure();
  Expr y = operands->front();
  for (Expr x : ArrayRef(*operands).drop_front())
    y = apply<Op>(y, x);
  return give(node, y);
}

LogicalResult importMean(Node &node) {
  auto operands = alike(node, Elements::floats);
  if (failed(operands))
    return failure();
  Type type = operands->front().elementType();
  Expr y = widened(operands->front());
  for (Expr x : ArrayRef(*operands).drop_front())
    y = y + widened(x);
  return give(node, cast(y / static_cast<double>(operands->size()), type));
}

/// The bounds are attributes before opset 11.
LogicalResult importClip(Node &node) {
  if (failed(wantOperands(node, 1, 3)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr x = operand(node, 0);
  for (unsigned i : {1u, 2u})
    if (node.has(i) && (node.element(i) != x.elementType() ||
                        node.type(i).getNumElements() != 1))
      return node.error() << "clips " << x.type() << " at " << node.type(i);
  StringRef names[] = {"min", "max"};
  for (unsigned i : {0u, 1u}) {
    Expr bound = operand(node, i + 1);
    if (bound)
      bound = reshape(bound, {});
    else if (node.hasAttr(names[i]))
      bound = x.like(node.floatAttr(names[i]));
    else
      continue;
    x = i ? minimum(x, bound) : maximum(x, bound);
  }
  return give(node, x);
}

LogicalResult importIsInf(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr x = operand(node, 0);
  Expr infinite = apply<graph::IsInfOp>(x);
  if (!node.intAttr("detect_negative", 1))
    infinite = both(infinite, less(x.like(0), x));
  if (!node.intAttr("detect_positive", 1))
    infinite = both(infinite, less(x, x.like(0)));
  return give(node, infinite);
}

/// Aligned with the last dimensions; before opset 7 with the channels.
LogicalResult importPRelu(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr x = operand(node, 0), slope = operand(node, 1);
  if (slope.elementType() != x.elementType())
    return node.error() << "its operands differ in type: " << x.type()
                        << " and " << slope.type();
  if (slope.rank() == 1 && x.rank() > 2 && slope.size(0) == x.size(1) &&
      node.opset() < 7) {
    Integers shape(x.rank() - 1, 1);
    shape[0] = slope.size(0);
    slope = reshape(slope, shape);
  }
  auto shape = broadcastShapes(x.shape(), slope.shape());
  if (failed(shape) || ArrayRef(*shape) != x.shape())
    return node.error() << "its slope " << slope.type()
                        << " does not broadcast to " << x.type();
  return give(node, select(less(x, x.like(0)), x * slope, x));
}

LogicalResult importBitCast(Node &node) {
  Type to = node.typeAttr("to");
  if (!to || failed(wantOperands(node, 1, 1)))
    return failure();
  RankedTensorType type = node.type(0);
  Type from = type.getElementType();
  if (to == from)
    return node.result(node.operand(0));
  if (elementBytes(to) != elementBytes(from))
    return node.error() << "the bits of " << from << " do not make " << to;
  // A Boolean is a byte, 0 or 1.
  Type byte = node.b.getIntegerType(8, false);
  Value x = node.operand(0);
  if (from.isInteger(1))
    x = castTo(node.b, x, byte);
  x = make<graph::BitcastOp>(node.b, type.clone(to.isInteger(1) ? byte : to),
                             x);
  return node.result(to.isInteger(1) && x ? castTo(node.b, x, to) : x);
}

LogicalResult importWhere(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  if (!node.element(0).isInteger(1) || node.element(1) != node.element(2))
    return node.error() << "does not select of " << node.type(1) << " and "
                        << node.type(2) << " by " << node.type(0);
  if (Expr y =
          replacedPart(operand(node, 0), operand(node, 1), operand(node, 2)))
    return give(node, y);
  Value values[] = {node.operand(0), node.operand(1), node.operand(2)};
  if (failed(broadcastAll(node, values)))
    return failure();
  return give(node, select({node.b, values[0]}, {node.b, values[1]},
                           {node.b, values[2]}));
}

} // namespace

void addArithmeticHandlers(Handlers &handlers) {
  handlers["BitCast"] = importBitCast;
  handlers["BitShift"] = importBitShift;
  handlers["Clip"] = importClip;
  handlers["IsInf"] = importIsInf;
  handlers["Max"] = importVariadic<graph::MaximumOp, Elements::numbers>;
  handlers["Mean"] = importMean;
  handlers["Min"] = importVariadic<graph::MinimumOp, Elements::numbers>;
  handlers["Mod"] = importMod;
  handlers["PRelu"] = importPRelu;
  handlers["Pow"] = importPow;
  handlers["Sum"] = importVariadic<graph::AddOp, Elements::numbers>;
  handlers["Where"] = importWhere;
}

} // namespace weir::onnx

// Conversions between element types, by value and by bits.

#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importCast(Node &node) {
  if (node.size() != 1)
    return node.error() << "has " << node.size() << " operands instead of 1";
  if (Type part = complexPart(node, "DstT")) {
    Expr re = cast(operand(node, 0), part);
    Expr im = zerosOf(re);
    return node.tracedResults({Traced{re.value, im.value, nullptr}});
  }
  Type to = node.typeAttr("DstT");
  if (!to)
    return node.unsupported("its result's element type");
  Expr x = operand(node, 0);
  if (node.boolAttr("Truncate") && isa<FloatType>(to) &&
      isa<FloatType>(x.elementType()) &&
      to.getIntOrFloatBitWidth() < x.elementType().getIntOrFloatBitWidth())
    return node.unsupported("truncation to a narrower float");
  return node.result(castTo(node.b, x.value, to, /*rounds=*/true));
}

/// Each element as the parts of its bits, low ones first, along a new last
/// dimension.
Value splitBits(ImplicitLocOpBuilder &b, Value x, Type to) {
  RankedTensorType type = typeOf(x);
  unsigned from = type.getElementTypeBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  auto whole = IntegerType::get(b.getContext(), from, IntegerType::Unsigned);
  auto part = IntegerType::get(b.getContext(), width, IntegerType::Unsigned);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  Value bits = make<graph::BitcastOp>(b, type.clone(whole), x);
  bits = reshapeTo(b, bits, shape);
  shape.back() = from / width;
  bits = broadcastTo(b, bits, shape);
  SmallVector<int64_t> positions;
  for (unsigned at = 0; at < from; at += width)
    positions.push_back(at);
  bits = make<graph::ShiftRightOp>(
      b, bits, broadcastTo(b, numbers(b, whole, positions), shape));
  bits = castTo(b, bits, part);
  return make<graph::BitcastOp>(b, typeOf(bits).clone(to), bits);
}

/// The inverse: the last dimension becomes one element.
Value joinBits(ImplicitLocOpBuilder &b, Value x, Type to) {
  RankedTensorType type = typeOf(x);
  unsigned from = type.getElementTypeBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  auto whole = IntegerType::get(b.getContext(), width, IntegerType::Unsigned);
  auto part = IntegerType::get(b.getContext(), from, IntegerType::Unsigned);
  Value bits = make<graph::BitcastOp>(b, type.clone(part), x);
  bits = castTo(b, bits, whole);
  SmallVector<int64_t> positions;
  for (unsigned at = 0; at < width; at += from)
    positions.push_back(at);
  bits = make<graph::ShiftLeftOp>(
      b, bits, broadcastTo(b, numbers(b, whole, positions), type.getShape()));
  // No two parts have a bit in common.
  Expr joined = sum(Expr(b, bits), {type.getRank() - 1});
  return make<graph::BitcastOp>(b, joined.type().clone(to), joined.value);
}

LogicalResult importBitcast(Node &node) {
  if (node.size() != 1)
    return node.error() << "has " << node.size() << " operands instead of 1";
  Type to = node.typeAttr("type");
  Value x = node.operand(0);
  RankedTensorType type = node.type(0);
  Type from = type.getElementType();
  if (!to || to.isInteger(1) || from.isInteger(1))
    return node.unsupported("the bits of such an element type");
  unsigned toWidth = to.getIntOrFloatBitWidth();
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  if (toWidth == fromWidth)
    return node.result(make<graph::BitcastOp>(node.b, type.clone(to), x));
  if (toWidth < fromWidth) {
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(fromWidth / toWidth);
    if (!graph::countElements(shape))
      return node.error() << "its result is larger than a tensor may be";
    return node.result(splitBits(node.b, x, to));
  }
  if (type.getRank() == 0 ||
      type.getShape().back() != static_cast<int64_t>(toWidth / fromWidth))
    return node.error() << "the last dimension of " << type
                        << " does not make elements of " << to;
  return node.result(joinBits(node.b, x, to));
}

} // namespace

void addCastHandlers(Handlers &handlers) {
  handlers["Cast"] = importCast;
  handlers["Bitcast"] = importBitcast;
}

} // namespace weir::tensorflow

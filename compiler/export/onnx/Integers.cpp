// Elementwise ops of integers that ONNX lacks or does not define.

#include "compiler/export/onnx/Formulas.h"
#include "compiler/export/onnx/Ops.h"

#include "compiler/import/Elements.h"

#include <cmath>

using namespace mlir;

namespace weir::to_onnx {
namespace {

/// The operand as an unsigned integer: ONNX shifts no others.
Tensor asUnsigned(Writer &w, Tensor x) {
  return w.cast(x, IntegerType::get(w.current->getContext(),
                                    x.element.getIntOrFloatBitWidth(),
                                    IntegerType::Unsigned));
}

/// Places to shift by, limited to the width: ONNX defines no shifts by more.
Tensor placesOf(Writer &w, Tensor y, Value value) {
  int64_t width = y.element.getIntOrFloatBitWidth();
  if (!areInRange(value, width)) {
    if (!y.element.isUnsignedInteger())
      y = with(w, "Max", y, 0);
    y = with(w, "Min", y, static_cast<double>(width - 1));
  }
  return asUnsigned(w, y);
}

Tensor writeShift(Writer &w, ArrayRef<Tensor> x, Operation *op, bool isLeft) {
  Tensor places = placesOf(w, x[1], op->getOperand(1));
  auto shifted = [&](Tensor number) {
    Tensor bits = asUnsigned(w, number);
    return w.cast(
        w.node("BitShift", {bits, places})
            .setText("direction", isLeft ? "LEFT" : "RIGHT")
            .result(broadcastOf(bits.shape, places.shape), bits.element),
        x[0].element);
  };
  if (isLeft || x[0].element.isUnsignedInteger())
    return shifted(x[0]);
  // A negative x keeps its sign as the complement of the shifted complement,
  // and the complement of x is -1 - x.
  Tensor isNegative = test(w, "Less", {x[0], w.number(0, x[0].element)});
  auto complemented = [&](Tensor number) {
    Tensor complement = w.map("Sub", {w.number(-1, number.element), number});
    return w.map("Where", {isNegative, complement, number});
  };
  return complemented(shifted(complemented(x[0])));
}

/// The value of all elements of a constant of integers.
std::optional<APInt> integerOf(Value value) {
  std::optional<DenseElementsAttr> elements = knownElements(value);
  if (!elements || !elements->isSplat() ||
      !isa<IntegerType>(elements->getElementType()))
    return std::nullopt;
  return elements->getSplatValue<APInt>();
}

/// Products instead of a constant power that is not negative.
Tensor constantPower(Writer &w, Tensor x, const APInt &exponent) {
  std::optional<Tensor> result;
  for (unsigned bit = 0; bit < exponent.getActiveBits(); ++bit) {
    if (bit > 0)
      x = w.map("Mul", {x, x});
    if (exponent[bit])
      result = result ? w.map("Mul", {*result, x}) : x;
  }
  return result ? *result : w.number(1, x.element);
}

/// By squaring, a step for each bit of the exponent, as the op is defined.
Tensor integerPower(Writer &w, Tensor x, Tensor y) {
  bool isUnsigned = x.element.isUnsignedInteger();
  unsigned bits = x.element.getIntOrFloatBitWidth() - !isUnsigned;
  Tensor one = w.number(1, x.element), zero = w.number(0, x.element);
  Tensor result = one, power = x, rest = y;
  std::optional<Tensor> isOdd;
  for (unsigned bit = 0; bit < bits; ++bit) {
    if (bit > 0) {
      power = w.map("Mul", {power, power});
      rest = with(w, "Div", rest, 2);
    }
    Tensor isSet = test(w, "Equal", {with(w, "Mod", rest, 2), one});
    if (!isOdd)
      isOdd = isSet;
    result = w.map("Where", {isSet, w.map("Mul", {result, power}), result});
  }
  if (isUnsigned)
    return result;
  // A negative power is the truncated inverse.
  Tensor minusOne = w.number(-1, x.element);
  Tensor ofMinusOne = w.map("Where", {*isOdd, minusOne, one});
  Tensor ofOthers = w.map("Where", {test(w, "Equal", {x, one}), one, zero});
  Tensor inverse =
      w.map("Where", {test(w, "Equal", {x, minusOne}), ofMinusOne, ofOthers});
  return w.map("Where", {test(w, "Less", {y, zero}), inverse, result});
}

} // namespace

/// Limits floats to the range of narrow integers, as quantization does. ONNX
/// does not define other casts of them.
Tensor writeCast(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  Type element = typeOf(op->getResult(0)).getElementType();
  Tensor number = x[0];
  auto integer = dyn_cast<IntegerType>(element);
  unsigned width = integer ? integer.getWidth() : 0;
  if (isFloat(number) && width > 1 && width <= 16) {
    // Floats of 16 bits do not have the largest integers of 16 bits.
    if (width == 16 && number.element.getIntOrFloatBitWidth() == 16)
      number = w.cast(number, w.builder().getF32Type());
    double range = std::ldexp(1, static_cast<int>(width));
    double low = integer.isUnsigned() ? 0 : -range / 2;
    number = w.map("Clip", {number, w.number(low, number.element),
                            w.number(low + range - 1, number.element)});
  }
  return w.cast(number, element, /*isOwn=*/true);
}

/// ONNX negates no unsigned integers.
Tensor negated(Writer &w, Tensor x) {
  return x.element.isUnsignedInteger()
             ? w.map("Sub", {w.number(0, x.element), x})
             : w.map("Neg", x);
}

Tensor writeShiftLeft(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  return writeShift(w, x, op, /*isLeft=*/true);
}

Tensor writeShiftRight(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  return writeShift(w, x, op, /*isLeft=*/false);
}

/// 1 and -1 have an inverse. A division could be by zero.
Tensor writeReciprocal(Writer &w, ArrayRef<Tensor> x, Operation *) {
  if (isFloat(x[0]))
    return w.map("Reciprocal", x);
  Tensor isUnit =
      test(w, "Equal", {w.map("Abs", x), w.number(1, x[0].element)});
  return w.map("Where", {isUnit, x[0], w.number(0, x[0].element)});
}

Tensor writePow(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  if (isFloat(x[0]))
    return w.map("Pow", x);
  bool isUnsigned = x[0].element.isUnsignedInteger();
  std::optional<APInt> exponent = integerOf(op->getOperand(1));
  if (exponent && (isUnsigned || !exponent->isNegative()))
    return constantPower(w, x[0], *exponent);
  if (!isUnsigned && x[0].element.getIntOrFloatBitWidth() >= 32)
    return w.map("Pow", x);
  return integerPower(w, x[0], x[1]);
}

} // namespace weir::to_onnx

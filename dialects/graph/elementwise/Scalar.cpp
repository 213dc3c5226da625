// The operators and conversions of scalar functions.

#include "dialects/graph/elementwise/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace weir::graph {

Scalar Scalar::constant(double number) const {
  if (auto floating = dyn_cast<FloatType>(type()))
    return make<arith::ConstantOp>(FloatAttr::get(floating, number));
  APInt integer(64, static_cast<uint64_t>(static_cast<int64_t>(number)));
  return constant(integer.trunc(width()));
}

Scalar Scalar::constant(const APInt &number) const {
  return make<arith::ConstantOp>(IntegerAttr::get(type(), number));
}

Scalar Scalar::lowest() const {
  return constant(isUnsigned ? APInt::getZero(width())
                             : APInt::getSignedMinValue(width()));
}

Scalar Scalar::highest() const {
  return constant(isUnsigned ? APInt::getMaxValue(width())
                             : APInt::getSignedMaxValue(width()));
}

Scalar Scalar::bits(Type type) const {
  return make<arith::BitcastOp>(type, value);
}

/// A float as an integer, saturating; what is not a number becomes 0.
static Scalar floatToInteger(Scalar x, IntegerType type, bool isUnsigned) {
  unsigned width = type.getWidth();
  APInt low =
      isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt high =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(x.type()).getFloatSemantics();
  APFloat lowest(semantics), highest(semantics);
  lowest.convertFromAPInt(low, !isUnsigned, APFloat::rmTowardZero);
  auto exact =
      highest.convertFromAPInt(high, !isUnsigned, APFloat::rmTowardZero);
  auto number = [&](const APFloat &value) {
    return x.make<arith::ConstantOp>(FloatAttr::get(x.type(), value));
  };
  Scalar top = number(highest);
  // What is no number is not above 0 either, and becomes that.
  Scalar inside = isUnsigned ? select(x > 0.0, x, 0.0)
                             : select(x < number(lowest), number(lowest), x);
  inside = select(inside > top, top, inside);
  if (!isUnsigned)
    inside = select(x == x, inside, 0.0);
  Scalar result = isUnsigned ? inside.make<arith::FPToUIOp>(type, inside)
                             : inside.make<arith::FPToSIOp>(type, inside);
  result.isUnsigned = isUnsigned;
  // The largest number of the float type may lie below that of the integer's.
  return exact == APFloat::opOK ? result
                                : select(x > top, result.highest(), result);
}

/// An f64 as the f32 that rounds as it does to a type of fewer digits: of the
/// two beside it the one with an odd last bit.
static Scalar roundToOdd(Scalar x) {
  Scalar near = x.to(x.b->getF32Type());
  Scalar magnitude = x.make<math::AbsFOp>(x);
  Scalar given = near.to(x.type());
  given = given.make<math::AbsFOp>(given);
  Scalar bits = near.bits(near.integerType());
  Scalar isEven = (bits & bits.constant(1.0)) == 0.0;
  Scalar step = select(given < magnitude, bits.constant(1.0),
                       select(given > magnitude, -1.0, bits.constant(0.0)));
  return (bits + select(isEven, step, 0.0)).bits(near.type());
}

Scalar Scalar::to(Type target, bool toUnsigned) const {
  auto integer = dyn_cast<IntegerType>(target);
  if (integer && integer.getWidth() == 1)
    return *this != 0.0;
  bool fromUnsigned = isUnsigned || isBool();
  if (isFloat()) {
    if (integer) {
      // f16 has no number as large as most integer types: one path for all.
      Scalar x = width() < 32 ? to(b->getF32Type()) : *this;
      return floatToInteger(x, integer, toUnsigned);
    }
    unsigned to = target.getIntOrFloatBitWidth();
    if (target == type())
      return *this;
    if (to > width())
      return make<arith::ExtFOp>(target, value);
    // LLVM would call a function that only compilers' runtimes have.
    if (to < 32 && width() == 64)
      return make<arith::TruncFOp>(target, roundToOdd(*this).value);
    if (to < width())
      return make<arith::TruncFOp>(target, value);
    // f16 and bf16: neither holds the other.
    return make<arith::TruncFOp>(
        target, make<arith::ExtFOp>(b->getF32Type(), value).value);
  }
  if (!integer) {
    // As TensorFlow: by way of f32.
    if (target.getIntOrFloatBitWidth() < 32)
      return to(b->getF32Type()).to(target);
    Scalar result = fromUnsigned ? make<arith::UIToFPOp>(target, value)
                                 : make<arith::SIToFPOp>(target, value);
    result.isUnsigned = false;
    return result;
  }
  Scalar result = *this;
  if (integer.getWidth() < width())
    result = make<arith::TruncIOp>(target, value);
  else if (integer.getWidth() > width())
    result = fromUnsigned ? make<arith::ExtUIOp>(target, value)
                          : make<arith::ExtSIOp>(target, value);
  result.isUnsigned = toUnsigned;
  return result;
}

Scalar operator-(Scalar x) {
  if (x.isFloat())
    return x.make<arith::NegFOp>(x);
  return x.make<arith::SubIOp>(x.constant(0.0), x);
}

Scalar operator+(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<arith::AddFOp>(x, y)
                     : x.make<arith::AddIOp>(x, y);
}

Scalar operator-(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<arith::SubFOp>(x, y)
                     : x.make<arith::SubIOp>(x, y);
}

Scalar operator*(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<arith::MulFOp>(x, y)
                     : x.make<arith::MulIOp>(x, y);
}

Scalar operator/(Scalar x, Scalar y) {
  if (x.isFloat())
    return x.make<arith::DivFOp>(x, y);
  Scalar byZero = y == 0.0;
  if (x.isUnsigned)
    return select(byZero, 0.0,
                  x.make<arith::DivUIOp>(x, select(byZero, 1.0, y)));
  // The lowest number by -1 wraps to itself, which is also its quotient by 1.
  Scalar wraps = (y == -1.0) & (x == x.lowest());
  return select(byZero, 0.0,
                x.make<arith::DivSIOp>(x, select(byZero | wraps, 1.0, y)));
}

static Scalar compare(Scalar x, Scalar y, arith::CmpFPredicate floating,
                      arith::CmpIPredicate isSigned,
                      arith::CmpIPredicate isUnsigned) {
  if (x.isFloat())
    return Scalar(*x.b, x.loc,
                  x.b->create<arith::CmpFOp>(x.loc, floating, x, y));
  return Scalar(*x.b, x.loc,
                x.b->create<arith::CmpIOp>(
                    x.loc, x.isUnsigned ? isUnsigned : isSigned, x, y));
}

Scalar operator<(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                 arith::CmpIPredicate::ult);
}

Scalar operator<=(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle,
                 arith::CmpIPredicate::ule);
}

Scalar operator>(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt,
                 arith::CmpIPredicate::ugt);
}

Scalar operator>=(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge,
                 arith::CmpIPredicate::uge);
}

Scalar operator==(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                 arith::CmpIPredicate::eq);
}

Scalar operator!=(Scalar x, Scalar y) {
  return compare(x, y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne,
                 arith::CmpIPredicate::ne);
}

Scalar operator&(Scalar x, Scalar y) { return x.make<arith::AndIOp>(x, y); }

Scalar operator|(Scalar x, Scalar y) { return x.make<arith::OrIOp>(x, y); }

Scalar operator^(Scalar x, Scalar y) { return x.make<arith::XOrIOp>(x, y); }

Scalar operator~(Scalar x) {
  return x ^ x.constant(APInt::getAllOnes(x.width()));
}

Scalar select(Scalar condition, Scalar x, Scalar y) {
  return x.make<arith::SelectOp>(condition, x, y);
}

Value applyAll(Operation *op, OpBuilder &b, Location loc, ValueRange args,
               function_ref<Scalar(ArrayRef<Scalar>)> function) {
  SmallVector<Scalar> scalars;
  for (auto [arg, operand] : llvm::zip_equal(args, op->getOperands())) {
    Scalar x(b, loc, arg, getElementTypeOrSelf(operand).isUnsignedInteger());
    scalars.push_back(x.isFloat() && x.width() < 32 ? x.to(b.getF32Type()) : x);
  }
  Scalar result = function(scalars);
  if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return result.to(type);
  return result;
}

Value apply(Operation *op, OpBuilder &b, Location loc, ValueRange args,
            Scalar (*function)(Scalar)) {
  return applyAll(op, b, loc, args,
                  [&](ArrayRef<Scalar> x) { return function(x[0]); });
}

Value apply(Operation *op, OpBuilder &b, Location loc, ValueRange args,
            Scalar (*function)(Scalar, Scalar)) {
  return applyAll(op, b, loc, args,
                  [&](ArrayRef<Scalar> x) { return function(x[0], x[1]); });
}

Value apply(Operation *op, OpBuilder &b, Location loc, ValueRange args,
            Scalar (*function)(Scalar, Scalar, Scalar)) {
  return applyAll(op, b, loc, args, [&](ArrayRef<Scalar> x) {
    return function(x[0], x[1], x[2]);
  });
}

} // namespace weir::graph

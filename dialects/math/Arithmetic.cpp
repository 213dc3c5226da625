// The arithmetic that mathematical functions are made of.

#include "dialects/math/Functions.h"

#include "dialects/target/Instructions.h"
#include "dialects/weir/Records.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {

FunctionTarget FunctionTarget::of(Operation *op) {
  if (GpuAttr::of(op))
    return {};
  TargetAttr target = TargetAttr::of(op);
  Instructions has = Instructions::of(target);
  bool fma = target.getFma();
  int64_t entries = has.looksUp32 ? 32 : has.looksUp8 && fma ? 8 : 0;
  return {fma, entries, Isa::of(has)};
}

MathFunctions::MathFunctions(OpBuilder &builder, Location loc, Value like,
                             const FunctionTarget &target)
    : b(loc, builder), fma(target.fma), tableEntries(target.tableEntries),
      isa(target.isa.get()) {
  auto vector = dyn_cast<VectorType>(like.getType());
  scalesAtOnce = isa && vector &&
                 vector.getShape() == ArrayRef<int64_t>{isa->exponentLanes()};
  auto shaped = [&](Type element) -> Type {
    return vector ? Type(vector.clone(element)) : element;
  };
  f32 = shaped(b.getF32Type());
  f64 = shaped(b.getF64Type());
  i32 = shaped(b.getI32Type());
  i64 = shaped(b.getI64Type());
}

static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, scalar));
  return b.create<arith::ConstantOp>(scalar);
}

Value MathFunctions::real(double value) {
  return constant(b, f32, b.getF32FloatAttr(value));
}

Value MathFunctions::wide(double value) {
  return constant(b, f64, b.getF64FloatAttr(value));
}

Value MathFunctions::bits(int64_t value) {
  return constant(b, i32, b.getI32IntegerAttr(value));
}

Value MathFunctions::bits64(int64_t value) {
  return constant(b, i64, b.getI64IntegerAttr(value));
}

Value MathFunctions::add(Value x, Value y) {
  return b.create<arith::AddFOp>(x, y);
}

Value MathFunctions::sub(Value x, Value y) {
  return b.create<arith::SubFOp>(x, y);
}

Value MathFunctions::mul(Value x, Value y) {
  return b.create<arith::MulFOp>(x, y);
}

Value MathFunctions::div(Value x, Value y) {
  return b.create<arith::DivFOp>(x, y);
}

Value MathFunctions::sqrt(Value x) { return b.create<math::SqrtOp>(x); }
Value MathFunctions::negate(Value x) { return b.create<arith::NegFOp>(x); }
Value MathFunctions::abs(Value x) { return b.create<math::AbsFOp>(x); }

Value MathFunctions::withSign(Value magnitude, Value sign) {
  return b.create<math::CopySignOp>(magnitude, sign);
}

Value MathFunctions::test(Predicate predicate, Value x, Value y) {
  return b.create<arith::CmpFOp>(predicate, x, y);
}

Value MathFunctions::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(condition, x, y);
}

Value MathFunctions::multiplyAdd(Value x, Value y, Value z) {
  if (fma)
    return b.create<math::FmaOp>(x, y, z);
  return add(mul(x, y), z);
}

Value MathFunctions::clamp(Value x, double low, double high) {
  bool isWide = x.getType() == f64;
  Value lowest = isWide ? wide(low) : real(low);
  Value highest = isWide ? wide(high) : real(high);
  x = select(test(Predicate::OLT, x, lowest), lowest, x);
  return select(test(Predicate::OGT, x, highest), highest, x);
}

Value MathFunctions::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = real(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, real(c));
  return sum;
}

Value MathFunctions::widePolynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = wide(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, wide(c));
  return sum;
}

Value MathFunctions::toBits(Value x) {
  return b.create<arith::BitcastOp>(x.getType() == f64 ? i64 : i32, x);
}

Value MathFunctions::fromBits(Value x) {
  return b.create<arith::BitcastOp>(x.getType() == i64 ? f64 : f32, x);
}

// Adding 1.5 * 2^23 leaves the integer in the low bits. No conversion from
// float to integer: that of a NaN would be undefined, not merely arbitrary.
MathFunctions::Integer MathFunctions::nearest(Value x, double factor,
                                              int biasedBy) {
  Value magic = real(integerMagic + biasedBy);
  Value shifted =
      factor == 1 ? add(x, magic) : multiplyAdd(x, real(factor), magic);
  return {sub(shifted, magic), shifted};
}

Value MathFunctions::scale(Value x, Integer n) {
  if (scalesAtOnce)
    return isa->scale(b, x, n.value);
  return scaleByBits(x, toBits(n.shifted));
}

// In two steps, each of which is a normal power of two.
Value MathFunctions::scaleByBits(Value x, Value n) {
  Value half = b.create<arith::ShRSIOp>(n, bits(1));
  Value rest = b.create<arith::SubIOp>(n, half);
  return mul(mul(x, powerOfTwo(half)), powerOfTwo(rest));
}

Value MathFunctions::powerOfTwo(Value n) {
  return fromBits(b.create<arith::ShLIOp>(n, bits(23)));
}

} // namespace weir

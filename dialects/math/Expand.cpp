// Functions of the math dialect as arithmetic.

#include "dialects/math/Expand.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

static Value expand(MathFunctions &m, Operation *op, ValueRange x,
                    ExpRange range) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) {
        return range == ExpRange::nonpositive ? m.expOfNonpositive(x[0])
               : range == ExpRange::besideOne ? m.expBesideOne(x[0])
                                              : m.exp(x[0]);
      })
      .Case([&](math::Exp2Op) { return m.exp2(x[0]); })
      .Case([&](math::ExpM1Op) { return m.expm1(x[0]); })
      .Case([&](math::LogOp) { return m.log(x[0]); })
      .Case([&](math::Log2Op) { return m.log2(x[0]); })
      .Case([&](math::Log10Op) { return m.log10(x[0]); })
      .Case([&](math::Log1pOp) { return m.log1p(x[0]); })
      .Case([&](math::SinhOp) { return m.sinh(x[0]); })
      .Case([&](math::CoshOp) { return m.cosh(x[0]); })
      .Case([&](math::TanhOp) { return m.tanh(x[0]); })
      .Case([&](math::AsinhOp) { return m.asinh(x[0]); })
      .Case([&](math::AcoshOp) { return m.acosh(x[0]); })
      .Case([&](math::AtanhOp) { return m.atanh(x[0]); })
      .Case([&](math::SinOp) { return m.sin(x[0]); })
      .Case([&](math::CosOp) { return m.cos(x[0]); })
      .Case([&](math::TanOp) { return m.tan(x[0]); })
      .Case([&](math::AsinOp) { return m.asin(x[0]); })
      .Case([&](math::AcosOp) { return m.acos(x[0]); })
      .Case([&](math::AtanOp) { return m.atan(x[0]); })
      .Case([&](math::Atan2Op) { return m.atan2(x[0], x[1]); })
      .Case([&](math::ErfOp) { return m.erf(x[0]); })
      .Case([&](math::CbrtOp) { return m.cbrt(x[0]); })
      .Case([&](math::PowFOp) { return m.pow(x[0], x[1]); })
      .Default(Value());
}

static void replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

bool expandFunction(Operation *op, const FunctionTarget &target,
                    ExpRange range) {
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
      op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  bool half = element.isF16() || element.isBF16();
  if (!half && !element.isF32() && !(element.isF64() && isa<math::FmaOp>(op)))
    return false;
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands(op->getOperands());
  MathFunctions m(b, loc, operands[0], target);
  if (isa<math::FmaOp>(op)) {
    // A target without the instruction would call a function.
    if (target.fma)
      return false;
    replace(op, m.multiplyAdd(operands[0], operands[1], operands[2]));
    return true;
  }
  if (half) {
    Type f32 = b.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      f32 = vector.clone(b.getF32Type());
    for (Value operand : operands)
      if (operand.getType() != type)
        return false;
    for (Value &operand : operands)
      operand = b.create<arith::ExtFOp>(loc, f32, operand);
  }
  Value result = expand(m, op, operands, range);
  if (!result) {
    if (half)
      for (Value operand : operands)
        operand.getDefiningOp()->erase();
    return false;
  }
  if (half)
    result = b.create<arith::TruncFOp>(loc, type, result);
  replace(op, result);
  return true;
}

} // namespace weir

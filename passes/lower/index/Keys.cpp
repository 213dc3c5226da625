// Integer keys that are compared instead of elements.

#include "passes/lower/index/Keys.h"

#include "passes/lower/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::lower {

Value keysOf(OpBuilder &b, Location loc, Value x, Type element) {
  auto type = cast<RankedTensorType>(x.getType());
  unsigned width = std::max(32u, element.getIntOrFloatBitWidth());
  auto keyType = b.getIntegerType(width);
  auto constant = [&](OpBuilder &b, const APInt &value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(keyType, value));
  };
  auto ofFloat = [&](OpBuilder &b, Value number) -> Value {
    auto wide = width == 32 ? b.getF32Type() : b.getF64Type();
    if (number.getType() != wide)
      number = b.create<arith::ExtFOp>(loc, wide, number);
    // Zeros of both signs are one.
    Value zero = b.create<arith::ConstantOp>(loc, b.getFloatAttr(wide, 0));
    Value sum = b.create<arith::AddFOp>(loc, number, zero);
    Value bits = b.create<arith::BitcastOp>(loc, keyType, sum);
    // Of two negative ones the greater has the smaller magnitude.
    APInt magnitude = APInt::getSignedMaxValue(width);
    Value sign = b.create<arith::ShRSIOp>(loc, bits,
                                          constant(b, APInt(width, width - 1)));
    Value turn = b.create<arith::AndIOp>(loc, sign, constant(b, magnitude));
    Value isNone =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, number, number);
    return b.create<arith::SelectOp>(loc, isNone, constant(b, magnitude),
                                     b.create<arith::XOrIOp>(loc, bits, turn));
  };
  auto ofInteger = [&](OpBuilder &b, Value integer) -> Value {
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    if (element.getIntOrFloatBitWidth() < width)
      return isUnsigned
                 ? b.create<arith::ExtUIOp>(loc, keyType, integer).getResult()
                 : b.create<arith::ExtSIOp>(loc, keyType, integer);
    if (!isUnsigned)
      return integer;
    return b.create<arith::XOrIOp>(loc, integer,
                                   constant(b, APInt::getSignMask(width)));
  };
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  auto keys = type.clone(keyType);
  return b
      .create<linalg::GenericOp>(
          loc, keys, x, emptyTensor(b, loc, keys), maps,
          parallelLoops(type.getRank()),
          [&](OpBuilder &b, Location loc, ValueRange args) {
            b.create<linalg::YieldOp>(loc, isa<FloatType>(element)
                                               ? ofFloat(b, args[0])
                                               : ofInteger(b, args[0]));
          })
      .getResult(0);
}

} // namespace weir::lower

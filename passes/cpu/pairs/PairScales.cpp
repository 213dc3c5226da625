// By what the sides of a product of pairs are scaled.

#include "passes/cpu/pairs/PairScales.h"

#include "dialects/kernel/Pairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir {

using kernel::Pairs;

// Of f32 as the format has them.
constexpr int64_t fractionBits = 23, bias = 127;

static constexpr int64_t lanes = 16;

Value integers(Emitter &e, int64_t value) {
  return e.splat(e.create<arith::ConstantIntOp>(value, 32), lanes);
}

Value reals(Emitter &e, double value) {
  return e.splat(e.create<arith::ConstantOp>(e.getF32FloatAttr(float(value))),
                 lanes);
}

static Value powerOfTwo(Emitter &e, Value exponent) {
  Value biased = e.create<arith::AddIOp>(exponent, integers(e, bias));
  return e.create<arith::BitcastOp>(
      VectorType::get(lanes, e.getF32Type()),
      e.create<arith::ShLIOp>(biased, integers(e, fractionBits)));
}

PairScales::PairScales(Emitter &e, Value squares, int64_t depth) {
  Value mean = e.create<arith::MulFOp>(squares, reals(e, 1. / double(depth)));
  Value bits =
      e.create<arith::BitcastOp>(VectorType::get(lanes, e.getI32Type()), mean);
  // Of twice the mean; of what is infinite or no number it is past all bounds.
  Value exponent = e.create<arith::SubIOp>(
      e.create<arith::ShRUIOp>(bits, integers(e, fractionBits)),
      integers(e, bias - 1));
  scalable = e.create<arith::CmpIOp>(
      arith::CmpIPredicate::ule,
      e.create<arith::AddIOp>(exponent, integers(e, Pairs::mostExponent)),
      integers(e, 2 * Pairs::mostExponent));
  Value half = e.create<arith::SelectOp>(
      scalable, e.create<arith::ShRSIOp>(exponent, integers(e, 1)),
      integers(e, 0));
  scales = powerOfTwo(e, half);
  factors = powerOfTwo(e, e.create<arith::SubIOp>(integers(e, 0), half));
}

} // namespace weir

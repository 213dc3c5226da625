// Computes the scales of both sides of a product by inner-product pairing.

#include "passes/cpu/pairing/PairingScales.h"

#include "dialects/kernel/PairingScheme.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {

using kernel::PairingScheme;

// Of f32 as the format has them.
constexpr int64_t fractionBits = 23, bias = 127;

Value integers(Emitter &e, int64_t value, int64_t lanes) {
  return e.splat(e.create<arith::ConstantIntOp>(value, 32), lanes);
}

Value reals(Emitter &e, double value, int64_t lanes) {
  return e.splat(e.create<arith::ConstantOp>(e.getF32FloatAttr(float(value))),
                 lanes);
}

static Value powerOfTwo(Emitter &e, Value exponent) {
  int64_t lanes = cast<VectorType>(exponent.getType()).getNumElements();
  Value biased = e.create<arith::AddIOp>(exponent, integers(e, bias, lanes));
  return e.create<arith::BitcastOp>(
      VectorType::get(lanes, e.getF32Type()),
      e.create<arith::ShLIOp>(biased, integers(e, fractionBits, lanes)));
}

PairingScales::PairingScales(Emitter &e, Value squares, int64_t depth) {
  int64_t lanes = cast<VectorType>(squares.getType()).getNumElements();
  Value mean =
      e.create<arith::MulFOp>(squares, reals(e, 1. / double(depth), lanes));
  Value bits =
      e.create<arith::BitcastOp>(VectorType::get(lanes, e.getI32Type()), mean);
  // Of twice the mean; of what is infinite or no number it is past all bounds.
  Value exponent = e.create<arith::SubIOp>(
      e.create<arith::ShRUIOp>(bits, integers(e, fractionBits, lanes)),
      integers(e, bias - 1, lanes));
  scalable = e.create<arith::CmpIOp>(
      arith::CmpIPredicate::ule,
      e.create<arith::AddIOp>(exponent,
                              integers(e, PairingScheme::maxExponent, lanes)),
      integers(e, 2 * PairingScheme::maxExponent, lanes));
  Value half = e.create<arith::SelectOp>(
      scalable, e.create<arith::ShRSIOp>(exponent, integers(e, 1, lanes)),
      integers(e, 0, lanes));
  scales = powerOfTwo(e, half);
  factors = powerOfTwo(e, e.create<arith::SubIOp>(integers(e, 0, lanes), half));
}

} // namespace weir::cpu

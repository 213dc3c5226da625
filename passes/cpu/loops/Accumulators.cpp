// Initializes, updates and reduces vectors of accumulators.

#include "passes/cpu/loops/Accumulators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {

bool keepsNan(Operation *inner) {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(inner);
}

TypedAttr neutralElement(Operation *inner) {
  // That of a maximum of numbers is no number, which would stay.
  if (auto number = dyn_cast<arith::MaxNumFOp>(inner)) {
    auto type = cast<FloatType>(number.getType());
    return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(),
                                                /*Negative=*/true));
  }
  // Of integers it has their width, which an index has not.
  if (!inner->getResult(0).getType().isIntOrFloat())
    return {};
  return arith::getNeutralElement(inner).value_or(TypedAttr());
}

Value neutral(Emitter &e, Operation *inner, int64_t lanes) {
  auto type = VectorType::get(lanes, inner->getResult(0).getType());
  return e.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, Attribute(neutralElement(inner))));
}

Value extreme(Emitter &e, Operation *inner, Value sum, Value x) {
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner))
    return greater(e, sum, x);
  Value less = e.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, sum);
  return e.create<arith::SelectOp>(less, x, sum);
}

Value greater(Emitter &e, Value sum, Value x) {
  Value beyond = e.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, sum);
  return e.create<arith::SelectOp>(beyond, x, sum);
}

Value combine(Emitter &e, Operation *inner, Value sum, Value x) {
  if (isa<arith::MaxNumFOp>(inner))
    return extreme(e, inner, sum, x);
  if (keepsNan(inner)) {
    // A NaN in `x` is taken by a choice that is not on the way from sum to sum.
    Value nan = e.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
    return e.create<arith::SelectOp>(nan, x, extreme(e, inner, sum, x));
  }
  OperationState state(e.getLoc(), inner->getName());
  state.addOperands({sum, x});
  state.addTypes(sum.getType());
  state.addAttributes(inner->getAttrs());
  return e.create(state)->getResult(0);
}

static Value splat(Emitter &e, int64_t lanes, int32_t value) {
  return e.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get(lanes, e.getI32Type()), value));
}

static int64_t lanesIn(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

Value noMark(Emitter &e, int64_t lanes) { return splat(e, lanes, 0); }

Value marked(Emitter &e, Value mark, Value x) {
  Value bits = e.create<arith::BitcastOp>(mark.getType(), x);
  Value magnitude =
      e.create<arith::AndIOp>(bits, splat(e, lanesIn(x), 0x7fffffff));
  return e.create<arith::MaxSIOp>(mark, magnitude);
}

Value withMarked(Emitter &e, Value sum, ArrayRef<Value> marks) {
  Value most = marks[0];
  for (Value mark : marks.drop_front())
    most = e.create<arith::MaxSIOp>(most, mark);
  int64_t lanes = lanesIn(sum);
  Value isNan = e.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, most,
                                        splat(e, lanes, 0x7f800000));
  Value nan =
      e.create<arith::BitcastOp>(sum.getType(), splat(e, lanes, 0x7fc00000));
  return e.create<arith::SelectOp>(isNan, nan, sum);
}

/// Floats as integers of the same order, and back.
static Value turnNegatives(Emitter &e, Value bits) {
  int64_t lanes = lanesIn(bits);
  Value sign = e.create<arith::ShRSIOp>(bits, splat(e, lanes, 31));
  return e.create<arith::XOrIOp>(
      bits, e.create<arith::AndIOp>(sign, splat(e, lanes, 0x7fffffff)));
}

/// The extreme of all lanes, a NaN where there is one, which is made the most
/// extreme integer: comparisons that keep it take four instructions a step.
static Value extremeOfLanes(Emitter &e, bool greatest, Value x) {
  int64_t lanes = lanesIn(x);
  Value bits =
      e.create<arith::BitcastOp>(VectorType::get(lanes, e.getI32Type()), x);
  Value nan = splat(e, lanes, greatest ? 0x7fc00000 : int32_t(0xffc00000));
  Value isNan = e.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  Value most = turnNegatives(e, e.create<arith::SelectOp>(isNan, nan, bits));
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    auto half = [&](int64_t first) -> Value {
      return e.create<vector::ExtractStridedSliceOp>(most, first, width, 1);
    };
    Value low = half(0), high = half(width);
    most = greatest ? e.create<arith::MaxSIOp>(low, high).getResult()
                    : e.create<arith::MinSIOp>(low, high).getResult();
  }
  Value one = e.create<arith::BitcastOp>(VectorType::get(1, e.getF32Type()),
                                         turnNegatives(e, most));
  return e.create<vector::ExtractOp>(one, 0);
}

Value lanesOf(Emitter &e, Operation *inner, Value sum) {
  if (keepsNan(inner) && getElementTypeOrSelf(sum).isF32())
    return extremeOfLanes(e, isa<arith::MaximumFOp>(inner), sum);
  for (int64_t width = lanesIn(sum); width > 1; width /= 2) {
    auto half = [&](int64_t first) -> Value {
      return e.create<vector::ExtractStridedSliceOp>(sum, first, width / 2, 1);
    };
    Value low = half(0);
    sum = combine(e, inner, low, half(width / 2));
  }
  return e.create<vector::ExtractOp>(sum, 0);
}

} // namespace weir::cpu

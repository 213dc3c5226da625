// Floats that become bytes, rounded by an addition.
//
// At 1.5 * 2^23 the floats are the integers, so that the sum of that and a
// small number is the nearest integer, the even one of two, and the low bits of
// its significand are that integer. To be small the number is clipped first,
// which is the same before rounding: both bounds are integers.

#include "passes/convert/Quantization.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace weir::convert {
namespace {

constexpr float magic = 12582912; // 1.5 * 2^23
// Zero points are bytes; a sum with what is clipped to a byte is far from where
// the floats begin to be more, or less, than the integers.
constexpr float mostZero = 1024;

std::optional<float> constantOf(Value value) {
  APFloat number(0.0f);
  if (!getElementTypeOrSelf(value).isF32() ||
      !matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToFloat();
}

/// The value and the bound of select(value > bound, value, bound), or with
/// `below` of select(value > bound, bound, value).
struct Clip {
  Value value;
  float bound;
  Operation *comparison, *choice;
};

std::optional<Clip> clipOf(Value result, bool below) {
  auto choice = result.getDefiningOp<arith::SelectOp>();
  auto comparison =
      choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!comparison || comparison.getPredicate() != arith::CmpFPredicate::OGT)
    return std::nullopt;
  Value value = comparison.getLhs(), limit = comparison.getRhs();
  Value above = choice.getTrueValue(), other = choice.getFalseValue();
  if (below)
    std::swap(above, other);
  std::optional<float> bound = constantOf(limit);
  if (!bound || above != value || constantOf(other) != bound)
    return std::nullopt;
  return Clip{value, *bound, comparison, choice};
}

/// Emits ops at the places of those that they replace: of several values that
/// take turns, what replaces them takes turns too.
class Insertion {
public:
  Insertion(Type type, ArrayRef<Operation *> ops)
      : type(type), ops(ops), b(ops.front()) {}

  template <typename Op, typename... Args>
  Value next(Args &&...args) {
    b.setInsertionPoint(ops[std::min(at++, ops.size() - 1)]);
    return b.create<Op>(ops.back()->getLoc(), std::forward<Args>(args)...);
  }

  Value splat(Type element, TypedAttr value) {
    b.setInsertionPoint(ops.front());
    TypedAttr all = value;
    if (auto vector = dyn_cast<VectorType>(type))
      all = DenseElementsAttr::get(vector.clone(element), Attribute(value));
    return b.create<arith::ConstantOp>(ops.back()->getLoc(), all);
  }
  Value splat(float value) {
    return splat(b.getF32Type(), b.getF32FloatAttr(value));
  }
  Value splat(int32_t value) {
    return splat(b.getI32Type(), b.getI32IntegerAttr(value));
  }

  /// `x` within the bounds; what is no number becomes the lower one.
  Value above(Value x, float bound) {
    Value low = splat(bound);
    Value is = next<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, low);
    --at;
    return next<arith::SelectOp>(is, x, low);
  }
  Value below(Value x, float bound) {
    Value high = splat(bound);
    Value is = next<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, high);
    --at;
    return next<arith::SelectOp>(is, high, x);
  }

  Type like(Type element) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }

private:
  Type type; // of f32
  ArrayRef<Operation *> ops;
  OpBuilder b;
  size_t at = 0;
};

/// Whether quotients by `divisor` can be made of its inverse: of quotients that
/// do not round to 0 all that is left after a product is a normal number.
bool hasInverse(float divisor) {
  float size = std::fabs(divisor);
  return size > 0x1p-60f && size < 0x1p60f;
}

/// The float that `byte`, whose bits `sum` has, is made to, less `zero`.
void takeFromSum(Value byte, Value sum, float zero, Insertion &ops) {
  for (Operation *user : llvm::make_early_inc_range(byte.getUsers())) {
    auto wide = dyn_cast<arith::ExtUIOp>(user);
    if (!wide || !getElementTypeOrSelf(wide.getType()).isInteger(32))
      continue;
    for (Operation *next : llvm::make_early_inc_range(wide->getUsers())) {
      int64_t less = 0;
      Operation *last = next;
      if (auto sub = dyn_cast<arith::SubIOp>(next)) {
        APInt number;
        if (sub.getLhs() != wide.getResult() ||
            !matchPattern(sub.getRhs(), m_ConstantInt(&number)) ||
            number.abs().ugt(uint64_t(mostZero)) || !sub->hasOneUse())
          continue;
        less = number.getSExtValue();
        last = *sub->user_begin();
      }
      auto made = dyn_cast<arith::SIToFPOp>(last);
      if (!made || !getElementTypeOrSelf(made.getType()).isF32())
        continue;
      OpBuilder b(made);
      Value value =
          b.create<arith::SubFOp>(made.getLoc(), sum, ops.splat(magic));
      if (float move = zero - float(less))
        value = b.create<arith::AddFOp>(made.getLoc(), value, ops.splat(move));
      made.replaceAllUsesWith(value);
      made.erase();
    }
  }
}

void finish(ArrayRef<Operation *> replaced, Value sum, float zero,
            Insertion &ops) {
  auto conversion = cast<arith::FPToUIOp>(replaced.back());
  takeFromSum(conversion, sum, zero, ops);
  OpBuilder b(conversion);
  Location loc = conversion.getLoc();
  Value bits = b.create<arith::BitcastOp>(loc, ops.like(b.getI32Type()), sum);
  if (zero != 0)
    bits = b.create<arith::AddIOp>(loc, bits,
                                   ops.splat(static_cast<int32_t>(zero)));
  conversion.replaceAllUsesWith(
      b.create<arith::TruncIOp>(loc, conversion.getType(), bits).getResult());
  for (Operation *op : llvm::reverse(replaced))
    if (op->use_empty())
      op->erase();
}

} // namespace

void quantizeByAddition(arith::FPToUIOp conversion,
                        const kernel::Target &target) {
  if (!getElementTypeOrSelf(conversion.getType()).isInteger(8) ||
      !getElementTypeOrSelf(conversion.getIn()).isF32())
    return;
  std::optional<Clip> high = clipOf(conversion.getIn(), /*below=*/true);
  std::optional<Clip> low;
  if (!high || !(low = clipOf(high->value, /*below=*/false)))
    return;
  if (low->bound != 0 || high->bound != 255)
    return;
  Value moved = low->value;
  float zero = 0;
  SmallVector<Operation *> ops;
  if (auto add = moved.getDefiningOp<arith::AddFOp>()) {
    std::optional<float> constant = constantOf(add.getRhs());
    if (!constant || std::fabs(*constant) > mostZero ||
        std::nearbyint(*constant) != *constant)
      return;
    zero = *constant;
    moved = add.getLhs();
    ops.push_back(add);
  }
  auto round = moved.getDefiningOp<math::RoundEvenOp>();
  if (!round)
    return;
  ops.insert(ops.begin(), round);
  ops.append({low->comparison, low->choice, high->comparison, high->choice,
              conversion});
  Value x = round.getOperand();

  // The quotient q by d is q' + r / d, r what is left of the dividend after
  // q' d, with the inverse of d for the divisions: P. Markstein, Computation of
  // elementary functions on the IBM RISC System/6000 processor, 1990.
  auto division = x.getDefiningOp<arith::DivFOp>();
  std::optional<float> divisor;
  if (division && division->hasOneUse() && target.fma)
    divisor = constantOf(division.getRhs());
  if (divisor && *divisor > 0 && hasInverse(*divisor)) {
    ops.insert(ops.begin(), division);
    Insertion at(x.getType(), ops);
    Value d = at.splat(-*divisor), inverse = at.splat(1 / *divisor);
    Value n = at.above(division.getLhs(), -zero * *divisor);
    n = at.below(n, (255 - zero) * *divisor);
    Value quotient = at.next<arith::MulFOp>(n, inverse);
    Value rest = at.next<math::FmaOp>(quotient, d, n);
    x = at.next<math::FmaOp>(rest, inverse, quotient);
    Value sum = at.next<arith::AddFOp>(x, at.splat(magic));
    finish(ops, sum, zero, at);
    return;
  }
  Insertion at(x.getType(), ops);
  x = at.above(x, -zero);
  x = at.below(x, 255 - zero);
  Value sum = at.next<arith::AddFOp>(x, at.splat(magic));
  finish(ops, sum, zero, at);
}

} // namespace weir::convert

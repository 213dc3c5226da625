// Maxima and minima in the form that LLVM compiles correctly for NaN. Those of
// 16-bit floats become comparisons: LLVM's own expansion loses the NaN that
// arith promises to pass on. The reverse holds for a selection that is a
// constant for NaN: LLVM 19 drops it after one by the same constant that passes
// NaN on.

#include "passes/convert/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::convert {
#define GEN_PASS_DEF_LOWEREXTREMES
#include "passes/convert/Passes.h.inc"

namespace {

bool isFloat16(Type type) { return type.isF16() || type.isBF16(); }

/// Whether LLVM may take the op in 16 bits: it is, or it is widened to f32 and
/// narrowed again, which LLVM undoes.
bool endsAsFloat16(Operation *op) {
  if (isFloat16(getElementTypeOrSelf(op->getResult(0))))
    return true;
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto widening = operand.getDefiningOp<arith::ExtFOp>();
    return widening && isFloat16(getElementTypeOrSelf(widening.getIn()));
  });
}

template <typename Op>
void lower(Op op, arith::CmpFPredicate takesLeft) {
  if (!endsAsFloat16(op))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getLhs(), y = op.getRhs();
  // Unordered, so that a NaN in x is taken; then one in y.
  Value left = b.create<arith::CmpFOp>(loc, takesLeft, x, y);
  Value extreme = b.create<arith::SelectOp>(loc, left, x, y);
  Value nan = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, y, y);
  op.replaceAllUsesWith(
      b.create<arith::SelectOp>(loc, nan, y, extreme).getResult());
  op.erase();
}

std::optional<APFloat> constantOf(Value value) {
  APFloat number(0.0f);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return number;
  return std::nullopt;
}

/// Whether both are one value, or equal constants.
bool isSame(Value x, Value y) {
  if (x == y)
    return true;
  std::optional<APFloat> a = constantOf(x), b = constantOf(y);
  return a && b && x.getType() == y.getType() && a->bitwiseIsEqual(*b);
}

/// Replaces `x > c ? x : c` by arith.maxnumf and `x < c ? x : c` by
/// arith.minnumf, which are c for NaN, too. Processors have either as one
/// instruction. The sign of a zero decides nothing for the constants here.
void lowerChoice(arith::SelectOp choice) {
  auto comparison = choice.getCondition().getDefiningOp<arith::CmpFOp>();
  Type type = choice.getType();
  Type element = getElementTypeOrSelf(type);
  if (!comparison || comparison.getLhs().getType() != type ||
      !(element.isF32() || element.isF64()) || endsAsFloat16(comparison))
    return;
  Value x = comparison.getLhs(), c = comparison.getRhs();
  arith::CmpFPredicate predicate = comparison.getPredicate();
  Value chosen = choice.getTrueValue(), other = choice.getFalseValue();
  if (predicate == arith::CmpFPredicate::ULE ||
      predicate == arith::CmpFPredicate::UGE) {
    // `x <= c` or NaN: the reverse of `x > c`.
    std::swap(chosen, other);
    predicate = predicate == arith::CmpFPredicate::ULE
                    ? arith::CmpFPredicate::OGT
                    : arith::CmpFPredicate::OLT;
  }
  std::optional<APFloat> number = constantOf(c);
  if (!number || number->isNaN() || !isSame(chosen, x) || !isSame(other, c))
    return;
  OpBuilder b(choice);
  Value extreme;
  if (predicate == arith::CmpFPredicate::OGT && !number->isNegZero())
    extreme = b.create<arith::MaxNumFOp>(choice.getLoc(), x, c);
  else if (predicate == arith::CmpFPredicate::OLT && !number->isPosZero())
    extreme = b.create<arith::MinNumFOp>(choice.getLoc(), x, c);
  else
    return;
  choice.replaceAllUsesWith(extreme);
  choice.erase();
  if (comparison->use_empty())
    comparison.erase();
}

struct LowerExtremes : impl::LowerExtremesBase<LowerExtremes> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> choices;
    getOperation()->walk(
        [&](arith::SelectOp choice) { choices.push_back(choice); });
    for (arith::SelectOp choice : choices)
      lowerChoice(choice);
    getOperation()->walk([](Operation *op) {
      if (auto maximum = dyn_cast<arith::MaximumFOp>(op))
        lower(maximum, arith::CmpFPredicate::UGT);
      else if (auto minimum = dyn_cast<arith::MinimumFOp>(op))
        lower(minimum, arith::CmpFPredicate::ULT);
    });
  }
};

} // namespace
} // namespace weir::convert

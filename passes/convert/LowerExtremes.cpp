// Maxima and minima of 16-bit floats become comparisons: LLVM's own expansion
// loses the NaN that arith promises to pass on.

#include "passes/convert/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

struct LowerExtremes : impl::LowerExtremesBase<LowerExtremes> {
  void runOnOperation() override {
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

// Maxima and minima of 16-bit floats are taken as f32: LLVM's expansion for
// half loses the NaN that arith promises to pass on.

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_LOWEREXTREMES
#include "passes/cpu/Passes.h.inc"

namespace {

template <typename Op>
void widen(Op op) {
  Type narrow = op.getType();
  if (getElementTypeOrSelf(narrow).getIntOrFloatBitWidth() != 16)
    return;
  OpBuilder b(op);
  Type wide = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(narrow))
    wide = vector.clone(wide);
  Location loc = op.getLoc();
  Value result = b.create<Op>(
      loc, b.create<arith::ExtFOp>(loc, wide, op.getLhs()).getResult(),
      b.create<arith::ExtFOp>(loc, wide, op.getRhs()).getResult());
  op.replaceAllUsesWith(
      b.create<arith::TruncFOp>(loc, narrow, result).getResult());
  op.erase();
}

struct LowerExtremes : impl::LowerExtremesBase<LowerExtremes> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto maximum = dyn_cast<arith::MaximumFOp>(op))
        widen(maximum);
      else if (auto minimum = dyn_cast<arith::MinimumFOp>(op))
        widen(minimum);
    });
  }
};

} // namespace
} // namespace weir

// Lets the back end sum a row in several lanes at once.
//
// The order is then that of the vector lanes: fixed when compiled, the same in
// each run and for any number of threads, and with a smaller error than one
// long sum (pairwise: Higham, "Accuracy and Stability", section 4.2).

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_REASSOCIATEREDUCTIONS
#include "passes/cpu/Passes.h.inc"

namespace {

/// The sums and products of an accumulator of `op` with anything.
void reassociate(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  for (BlockArgument accumulator : op.getRegionOutputArgs())
    for (Operation *user : accumulator.getUsers()) {
      auto flags = dyn_cast<arith::ArithFastMathInterface>(user);
      if (!flags || !isa<arith::AddFOp, arith::MulFOp>(user) ||
          user->getBlock() != &body)
        continue;
      user->setAttr(
          flags.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(
              op.getContext(), flags.getFastMathFlagsAttr().getValue() |
                                   arith::FastMathFlags::reassoc));
    }
}

struct ReassociateReductions
    : impl::ReassociateReductionsBase<ReassociateReductions> {
  void runOnOperation() override {
    getOperation()->walk([](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() > 0)
        reassociate(op);
    });
  }
};

} // namespace
} // namespace weir::cpu

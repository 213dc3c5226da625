// Lets the back end compute elements by other formulas, where that is asked
// for.

#include "passes/lower/Passes.h"

#include "dialects/kernel/attention/Attention.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_RELAXARITHMETIC
#include "passes/lower/Passes.h.inc"

namespace {

/// Whether the op computes elements: a scalar of such a function, or a softmax.
bool isOfElements(Operation *op) {
  return isa<kernel::AttentionOp>(op) ||
         isa<linalg::LinalgOp, kernel::KernelOpInterface, kernel::AttentionOp>(
             op->getParentOp());
}

struct RelaxArithmetic : impl::RelaxArithmeticBase<RelaxArithmetic> {
  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    auto words = module ? attrs::fastMath.of(module) : StringAttr();
    if (!words)
      return;
    auto requested = arith::symbolizeFastMathFlags(words.getValue());
    if (!requested ||
        bitEnumContainsAny(*requested, arith::FastMathFlags::ninf)) {
      module.emitError() << attrs::fastMath.name() << " is '"
                         << words.getValue()
                         << "', which is no list of flags but ninf";
      return signalPassFailure();
    }
    getOperation()->walk([&](arith::ArithFastMathInterface op) {
      // Conversions have no flags: by `contract` MLIR would drop a rounding to
      // f16 that the graph requests.
      auto own = op.getFastMathFlagsAttr();
      if (own && isOfElements(op))
        op->setAttr(op.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(&getContext(),
                                                  own.getValue() | *requested));
    });
  }
};

} // namespace
} // namespace weir::lower

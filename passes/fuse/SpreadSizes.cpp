// Operands get the dynamic sizes that all their users have.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_SPREADSIZES
#include "passes/fuse/Passes.h.inc"

namespace {

/// The sizes that all users have, where each works element by element.
Attribute sizesOfUsers(Operation *op) {
  Attribute sizes;
  for (Operation *user : op->getUsers()) {
    Attribute own = user->getAttr(graph::sizesName);
    if (!own || !isa<graph::ScalarOpInterface>(user) || (sizes && sizes != own))
      return {};
    sizes = own;
  }
  return sizes;
}

struct SpreadSizes : impl::SpreadSizesBase<SpreadSizes> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<graph::ScalarOpInterface, graph::BroadcastOp>(op) &&
          op->getNumResults() == 1 && !op->hasAttr(graph::sizesName))
        ops.push_back(op);
    });
    // Users before their operands.
    for (Operation *op : llvm::reverse(ops))
      if (Attribute sizes = sizesOfUsers(op))
        op->setAttr(graph::sizesName, sizes);
  }
};

} // namespace
} // namespace weir

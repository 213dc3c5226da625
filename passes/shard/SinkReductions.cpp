// Moves sums of ranks behind products by constants that make them smaller.

#include "passes/shard/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-sink-reductions"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_SINKREDUCTIONS
#include "passes/shard/Passes.h.inc"

namespace {

/// The last op behind the sum up to which each op is a reshape or a product by
/// a constant, if a product there makes the tensor smaller; else null.
Operation *lastLinearOp(graph::AllReduceOp reduce) {
  int64_t smallest = reduce.getType().getNumElements();
  Operation *last = nullptr;
  for (Value value = reduce; value.hasOneUse();) {
    Operation *user = *value.user_begin();
    if (auto product = dyn_cast<graph::MatmulOp>(user)) {
      Value other = product.getA() == value ? product.getB() : product.getA();
      // Ranks have other values of a constant that is divided.
      auto constant = other.getDefiningOp<graph::ConstantOp>();
      if (product.getDepth() || !constant ||
          isa<PartsAttr>(constant.getValue()))
        break;
    } else if (!isa<graph::ReshapeOp>(user)) {
      break;
    }
    value = user->getResult(0);
    int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
    if (elements < smallest || (last && elements == smallest)) {
      smallest = elements;
      last = user;
    }
  }
  return last;
}

struct SinkReductions : impl::SinkReductionsBase<SinkReductions> {
  void runOnOperation() override {
    // With micro-batches the bits do not depend on the number of ranks. So all
    // additions of micro-batches come before products.
    if (!attrs::mesh.isOn(getOperation()) ||
        attrs::microBatches.isOn(getOperation()))
      return;
    getOperation().walk([](graph::AllReduceOp reduce) {
      bool isSum = reduce.getCombine() == graph::Combine::sum &&
                   isa<FloatType>(getElementTypeOrSelf(reduce.getType()));
      Operation *last = isSum ? lastLinearOp(reduce) : nullptr;
      if (!last)
        return;
      LLVM_DEBUG(llvm::dbgs() << "exchanges " << last->getResult(0).getType()
                              << " instead of " << reduce.getType() << "\n");
      OpBuilder b(last->getContext());
      b.setInsertionPointAfter(last);
      Value own = last->getResult(0);
      auto moved = b.create<graph::AllReduceOp>(
          reduce.getLoc(), reduce.getCombine(), own, reduce.getAxes());
      own.replaceAllUsesExcept(moved, moved);
      reduce.replaceAllUsesWith(reduce.getX());
      reduce.erase();
    });
  }
};

} // namespace
} // namespace weir::shard

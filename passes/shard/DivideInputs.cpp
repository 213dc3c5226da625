// Decides which inputs are divided among ranks.

#include "passes/shard/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/shard/Axes.h"
#include "passes/shard/Shardings.h"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_DIVIDEINPUTS
#include "passes/shard/Passes.h.inc"

namespace {

struct DivideInputs : impl::DivideInputsBase<DivideInputs> {
  void runOnOperation() override {
    MeshAttr mesh = MeshAttr::of(getOperation());
    int64_t ranks = mesh ? mesh.sizeOf(dataAxis) : 0;
    if (!ranks)
      return;
    int64_t bits = bitOf(mesh, dataAxis);
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (attrs::entry.isOn(entry) && failed(divide(entry, ranks, bits)))
        return signalPassFailure();
  }

private:
  static RankedTensorType typeOf(func::FuncOp entry, unsigned i) {
    return cast<RankedTensorType>(entry.getArgumentTypes()[i]);
  }

  static LogicalResult divide(func::FuncOp entry, int64_t ranks, int64_t bits) {
    std::optional<int64_t> batch;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      RankedTensorType type = typeOf(entry, i);
      if (!type.getRank() || attrs::shards.ofArgument(entry, i) ||
          attrs::stateInput.ofArgument(entry, i))
        continue;
      if (!batch) {
        batch = type.getDimSize(0);
        if (*batch % ranks)
          return emitError(entry.getLoc(), "input '")
                 << nameOf(entry, i) << "' of " << type << " has a batch of "
                 << *batch << ", which " << ranks << unitOf(entry) << " ("
                 << dataAxis << "=" << ranks
                 << ") cannot divide into equal parts; --dim or --shape sets "
                 << "another batch size";
      }
      if (type.getDimSize(0) != *batch)
        continue;
      SmallVector<int64_t> shards(type.getRank());
      shards.front() = bits;
      attrs::shards.setOnArgument(entry, i, ArrayRef(shards));
    }
    return success();
  }

  /// What divides the batch.
  static StringRef unitOf(func::FuncOp entry) {
    return attrs::microBatches.isOn(entry->getParentOfType<ModuleOp>())
               ? " micro-batches"
               : " ranks";
  }

  static StringRef nameOf(func::FuncOp entry, unsigned i) {
    StringAttr name = attrs::name.ofArgument(entry, i);
    return name ? name.getValue() : "";
  }
};

} // namespace
} // namespace weir::shard

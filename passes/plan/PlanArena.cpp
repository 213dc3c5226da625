// Turns an entry function into a plan: buffers with offsets, and tasks in
// order.

#include "passes/plan/Passes.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Planner.h"
#include "passes/plan/Signature.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-plan-arena"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PLANARENA
#include "passes/plan/Passes.h.inc"

namespace {

struct PlanArena : impl::PlanArenaBase<PlanArena> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    Weights weights;
    State state(module);
    SmallVector<Attribute> checks, entries;
    int64_t arena = 0, maxLive = 0, host = 0;
    for (auto entry :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      auto name = entry->getAttrOfType<StringAttr>("weir.entry");
      if (!name)
        continue;
      b.setInsertionPoint(entry);
      std::string symbol = "weir_entry_" + std::to_string(entries.size());
      auto program = b.create<plan::ProgramOp>(entry.getLoc(), symbol);
      program.getBody().emplaceBlock();
      OpBuilder tasks = OpBuilder::atBlockEnd(&program.getBody().front());
      Planner planner(entry, program, weights, state, checks);
      if (failed(planner.run(tasks)))
        return signalPassFailure();
      auto [bytes, bound] = planner.assignOffsets(/*host=*/false);
      LLVM_DEBUG(llvm::dbgs()
                 << name.getValue() << ": " << bytes
                 << " bytes of arena, at least " << bound << " in any plan\n");
      arena = std::max(arena, bytes);
      maxLive = std::max(maxLive, bound);
      host = std::max(host, planner.assignOffsets(/*host=*/true).first);
      entries.push_back(describeEntry(entry, name, program));
      entry.erase();
    }
    module->setAttr("weir.arena_bytes", b.getI64IntegerAttr(arena));
    module->setAttr("weir.max_live_bytes", b.getI64IntegerAttr(maxLive));
    if (module.lookupSymbol(plan::hostKernels))
      module->setAttr("weir.host_bytes", b.getI64IntegerAttr(host));
    module->setAttr("weir.weights_bytes", b.getI64IntegerAttr(weights.bytes()));
    module->setAttr("weir.weights", b.getArrayAttr(weights.attributes()));
    if (state.bytes()) {
      module->setAttr("weir.state_bytes", b.getI64IntegerAttr(state.bytes()));
      module->setAttr("weir.variables", b.getArrayAttr(state.attributes()));
    }
    for (auto variable :
         llvm::make_early_inc_range(module.getOps<graph::VariableOp>()))
      variable.erase();
    module->setAttr("weir.checks", b.getArrayAttr(checks));
    module->setAttr("weir.entries", b.getArrayAttr(entries));
  }
};

} // namespace
} // namespace weir

// Turns an entry function into a plan: buffers with offsets, and tasks in
// order.

#include "passes/plan/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/plan/Arena.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Planner.h"
#include "passes/plan/Schedule.h"
#include "passes/plan/Signature.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-plan-arena"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_PLANARENA
#include "passes/plan/Passes.h.inc"

namespace {

/// Where a buffer, or a view of one, begins in the arena.
int64_t offsetInArena(Value memref) {
  int64_t offset = 0;
  while (auto view = memref.getDefiningOp<plan::ViewOp>()) {
    offset += view.getOffset();
    memref = view.getSource();
  }
  return offset + memref.getDefiningOp<plan::BufferOp>().getOffset();
}

/// Writes where the runtime finds the numbers that messages of checks end with.
void describeElements(ModuleOp module, size_t checks) {
  // The arena of a GPU is not in the runtime's memory.
  if (GpuAttr::of(module))
    return;
  SmallVector<int64_t> places(2 * checks);
  module.walk([&](plan::CheckOp check) {
    for (auto [i, number] : llvm::enumerate(check.getElement()))
      places[2 * (check.getCode() - 1) + i] = 1 + offsetInArena(number);
  });
  if (llvm::any_of(places, [](int64_t place) { return place != 0; }))
    attrs::checkElements.set(module, ArrayRef(places));
}

/// Writes what ranks exchange, and where the runtime finds the tensors. A
/// gather, or a part of a tensor, works on its second buffer, an all-reduce on
/// its first.
void describeExchanges(ModuleOp module, Exchanges &exchanges) {
  if (!exchanges.hasMesh())
    return;
  module.walk([&](plan::StartOp op) {
    exchanges.place(op.getNumber(), offsetInArena(op.getData()),
                    offsetInArena(op.getScratch()));
  });
  module.walk([&](plan::ExchangeOp op) {
    bool reduces = exchanges.isReduction(op.getNumber());
    exchanges.place(op.getNumber(),
                    offsetInArena(reduces ? op.getFirst() : op.getSecond()),
                    reduces ? offsetInArena(op.getSecond()) : 0);
  });
  attrs::collectives.set(module, exchanges.attributes());
  SmallVector<ScheduleItemAttr> items;
  for (auto [i, program] : llvm::enumerate(module.getOps<plan::ProgramOp>()))
    addSchedule(program, static_cast<int64_t>(i), exchanges.attributes(),
                items);
  attrs::schedule.set(module, ArrayRef(items));
}

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

struct PlanArena : impl::PlanArenaBase<PlanArena> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    Weights weights;
    State state(module);
    SmallVector<Attribute> checks;
    SmallVector<EntryAttr> entries;
    Exchanges exchanges(module);
    int64_t arena = 0, maxLive = 0, host = 0;
    for (auto entry :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      auto name = attrs::entry.of(entry);
      if (!name)
        continue;
      if (!llvm::all_of(entry.getFunctionType().getInputs(), isStatic) ||
          !llvm::all_of(entry.getFunctionType().getResults(), isStatic)) {
        entry.emitError("an input or output has no static shape");
        return signalPassFailure();
      }
      b.setInsertionPoint(entry);
      std::string symbol = "weir_entry_" + std::to_string(entries.size());
      auto program = b.create<plan::ProgramOp>(entry.getLoc(), symbol);
      program.getBody().emplaceBlock();
      OpBuilder tasks = OpBuilder::atBlockEnd(&program.getBody().front());
      Planner planner(entry, program, weights, state, checks, exchanges);
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
      exchanges.endEntry();
      entry.erase();
    }
    attrs::maxLiveBytes.set(module, maxLive);
    if (module.lookupSymbol(plan::hostKernels))
      attrs::hostBytes.set(module, host);
    auto regions = weights.placeRegions(module.getContext());
    if (!regions.empty()) {
      // A pointer for each.
      arena = llvm::alignTo(arena, plan::alignment);
      attrs::weightTable.set(module, arena);
      arena += llvm::alignTo(8 * regions.size(), plan::alignment);
      attrs::weightRegions.set(module, ArrayRef(regions));
    }
    attrs::arenaBytes.set(module, arena);
    attrs::weightsBytes.set(module, weights.bytes());
    attrs::weights.set(module, weights.attributes());
    if (state.bytes()) {
      attrs::stateBytes.set(module, state.bytes());
      attrs::variables.set(module, state.attributes());
    }
    for (auto variable :
         llvm::make_early_inc_range(module.getOps<graph::VariableOp>()))
      variable.erase();
    attrs::checks.set(module, b.getArrayAttr(checks));
    describeElements(module, checks.size());
    describeExchanges(module, exchanges);
    attrs::entries.set(module, ArrayRef(entries));
  }
};

} // namespace
} // namespace weir::plan

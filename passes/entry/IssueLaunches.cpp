// Lowers a plan to an LLVM function that issues its tasks to a stream of the
// GPU.

#include "passes/entry/Passes.h"

#include "passes/entry/HostKernels.h"
#include "passes/entry/Issuing.h"

#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir::entry {
#define GEN_PASS_DEF_ISSUELAUNCHES
#include "passes/entry/Passes.h.inc"

namespace {

/// The simulator's memory in the arena, in bytes: its state, and stacks and
/// shared memory for blocks with barriers (runtime/sim/sim.h).
constexpr int64_t simulatorState = 64, stackOfThread = 64 << 10,
                  memoryOfBlock = 704 << 10;

/// Whether a failed check must end the run at once, because later tasks assign
/// variables.
bool stopsAtChecks(plan::ProgramOp program) {
  return !program.getBody().front().getOps<plan::StateOp>().empty();
}

struct IssueLaunches : impl::IssueLaunchesBase<IssueLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    kernels = LaunchTable();
    simulatorAt.reset();
    if (failed(kernels.read(module)))
      return signalPassFailure();
    if (failed(kernels.verifyRuns(module)) || failed(takeHostKernels(module)))
      return signalPassFailure();
    addSimulator();
    TaskTable table(module);
    SmallVector<plan::ProgramOp> programs(module.getOps<plan::ProgramOp>());
    llvm::StringSet<> capturable;
    for (plan::ProgramOp program : programs) {
      std::string name = plan::takeName(program);
      bool reads = false, stops = stopsAtChecks(program);
      program.walk([&](Operation *op) { reads |= readsBack(op, stops); });
      if (!reads)
        capturable.insert(name);
      table.enter(name);
      lower(program, name, table);
      program.erase();
    }
    table.write();
    markCapturable(capturable);
    if (simulatorAt)
      attrs::arenaBytes.set(module, *simulatorAt + simulatorBytes);
  }

private:
  /// Reserves memory for the simulator's state, if the target is the simulator.
  void addSimulator() {
    ModuleOp module = getOperation();
    GpuAttr gpu = attrs::gpu.of(module);
    if (!gpu || !gpu.isSimulated())
      return;
    auto arena = attrs::arenaBytes.of(module);
    simulatorAt = llvm::alignTo(arena ? arena.getInt() : 0, 64);
    simulatorBytes = simulatorState;
    if (int64_t most = kernels.maxBarrierThreads())
      simulatorBytes += memoryOfBlock + most * stackOfThread;
    simulatedHostAt = llvm::alignTo(*simulatorAt + simulatorBytes, 64);
    auto host = attrs::hostBytes.of(module);
    simulatorBytes =
        simulatedHostAt - *simulatorAt + (host ? host.getInt() : 0);
  }

  void markCapturable(const llvm::StringSet<> &capturable) {
    auto entries = attrs::entries.of(getOperation());
    if (!entries)
      return;
    SmallVector<EntryAttr> marked;
    for (auto entry : entries.getAsRange<EntryAttr>())
      marked.push_back(EntryAttr::get(
          &getContext(), entry.getName(), entry.getSymbol(), entry.getInputs(),
          entry.getOutputs(), entry.getState(), entry.getInit(),
          capturable.contains(entry.getSymbol())));
    attrs::entries.set(getOperation(), ArrayRef(marked));
  }

  /// Splits the tasks into several functions, which the entry calls in turn.
  void lower(plan::ProgramOp program, const std::string &name,
             TaskTable &table) {
    SmallVector<Operation *> tasks = plan::tasksOf(program);
    ImplicitLocOpBuilder b(program.getLoc(), program);
    Runtime runtime = {getOperation()};
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    SmallVector<Type> parameters(attrs::stateBytes.isOn(getOperation()) ? 5 : 4,
                                 pointer);
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), parameters);
    auto entry = b.create<LLVM::LLVMFuncOp>(name, type);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry.addEntryBlock(b));
    SmallVector<Value> operands(entry.getArguments());
    auto zero = [&] {
      return b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(0)).getResult();
    };
    // In the simulator, its state and the memory of the host are at the end of
    // the arena.
    if (simulatorAt) {
      auto inArena = [&](int64_t at) {
        Value offset = b.create<LLVM::ConstantOp>(b.getI64IntegerAttr(at));
        return b
            .create<LLVM::GEPOp>(pointer, b.getI8Type(), operands[0],
                                 ArrayRef<LLVM::GEPArg>{offset})
            .getResult();
      };
      operands[3] = inArena(*simulatorAt);
      b.create<LLVM::CallOp>(
          runtime.get("weir_sim_begin", {pointer, pointer, pointer}),
          ValueRange{operands[3], inArena(simulatedHostAt), operands[1]});
    }
    Value answer = zero();
    Block *end = b.createBlock(&entry.getBody(), entry.getBody().end(),
                               b.getI32Type(), b.getLoc());
    b.setInsertionPointToEnd(&entry.getBody().front());
    ArrayRef<Operation *> rest = tasks;
    for (unsigned part = 0; !rest.empty(); ++part) {
      size_t count = plan::tasksOfPart(rest);
      auto function = plan::createPart(program, rest.front()->getLoc(),
                                       name + "_part_" + Twine(part), type);
      issueTasks(function, rest.take_front(count), runtime, kernels, table,
                 stopsAtChecks(program));
      answer = b.create<LLVM::CallOp>(function, operands).getResult();
      rest = rest.drop_front(count);
      if (rest.empty())
        break;
      Value failed =
          b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, answer, zero());
      Block *before = b.getInsertionBlock();
      Block *next = b.createBlock(&entry.getBody(), end->getIterator());
      b.setInsertionPointToEnd(before);
      b.create<LLVM::CondBrOp>(failed, end, ValueRange(answer), next,
                               ValueRange());
      b.setInsertionPointToEnd(next);
    }
    b.create<LLVM::BrOp>(answer, end);
    b.setInsertionPointToEnd(end);
    answer = end->getArgument(0);
    if (simulatorAt)
      answer = b.create<LLVM::CallOp>(
                    runtime.get("weir_sim_end", {pointer, b.getI32Type()}),
                    ValueRange{operands[3], answer})
                   .getResult();
    b.create<LLVM::ReturnOp>(answer);
  }

  LaunchTable kernels;
  std::optional<int64_t> simulatorAt;
  int64_t simulatorBytes = 0, simulatedHostAt = 0;
};

} // namespace
} // namespace weir::entry

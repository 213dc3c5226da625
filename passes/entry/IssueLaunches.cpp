// Lowers a plan to an LLVM function that issues its tasks to a stream of the
// GPU.

#include "passes/entry/Passes.h"

#include "passes/entry/HostKernels.h"
#include "passes/entry/LaunchTable.h"

#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace weir::entry {
#define GEN_PASS_DEF_ISSUELAUNCHES
#include "passes/entry/Passes.h.inc"

namespace {

/// The simulator's memory in the arena, in bytes: its state, and stacks and
/// shared memory for blocks with barriers (runtime/sim/sim.h).
constexpr int64_t simulatorState = 64, stackOfThread = 64 << 10,
                  memoryOfBlock = 704 << 10;

/// Whether a buffer is in the memory of the host.
bool isOfHost(Value memref) {
  while (auto view = memref.getDefiningOp<plan::ViewOp>())
    memref = view.getSource();
  auto buffer = memref.getDefiningOp<plan::BufferOp>();
  return buffer && buffer.getHost();
}

/// Whether a failed check must end the run at once, because later tasks assign
/// variables.
bool stopsAtChecks(plan::ProgramOp program) {
  return !program.getBody().front().getOps<plan::StateOp>().empty();
}

/// Whether the host waits for a value from the device.
bool readsBack(Operation *op, bool stops) {
  return isa<plan::IfOp, plan::WhileOp>(op) ||
         (stops && isa<plan::CheckOp>(op));
}

/// The runtime's functions that issue work.
struct Runtime {
  ModuleOp module;

  LLVM::LLVMFuncOp get(StringRef name, ArrayRef<Type> arguments) {
    if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return found;
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    return b.create<LLVM::LLVMFuncOp>(
        module.getLoc(), name,
        LLVM::LLVMFunctionType::get(b.getI32Type(), arguments));
  }
};

/// Lowers tasks to a function of (arena, weights, tensors, stream, state);
/// without variables it has no state. The function returns 0, or the first
/// status of the runtime that is not 0.
class Issuing : plan::TaskLowering {
public:
  Issuing(LLVM::LLVMFuncOp function, Runtime runtime,
          const LaunchTable &kernels, bool stops)
      : TaskLowering(function), function(function), runtime(runtime),
        kernels(kernels), stops(stops), name(function.getSymName()) {
    Block *entry = function.addEntryBlock(b);
    leave = b.createBlock(&function.getBody(), function.getBody().end(),
                          b.getI32Type(), b.getLoc());
    b.create<LLVM::ReturnOp>(leave->getArgument(0));
    b.setInsertionPointToStart(entry);
    arena = function.getArgument(0);
    weights = function.getArgument(1);
    arguments = function.getArgument(2);
    stream = function.getArgument(3);
    if (function.getNumArguments() == 5)
      state = function.getArgument(4);
  }

  void run(ArrayRef<Operation *> tasks) {
    int64_t most = 0;
    bool reads = false;
    for (Operation *task : tasks)
      task->walk([&](Operation *op) {
        if (auto run = dyn_cast<plan::RunOp>(op))
          most = std::max<int64_t>(most, run.getOperands().size());
        reads |= readsBack(op, stops);
      });
    // The values of a launch's arguments, and a pointer to each.
    if (most) {
      values =
          b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
      addresses =
          b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
      for (int64_t i = 0; i < most; ++i)
        b.create<LLVM::StoreOp>(at(values, 8 * i), at(addresses, 8 * i));
    }
    if (reads)
      boolean =
          b.create<LLVM::AllocaOp>(pointer(), b.getI8Type(), number(1, 64), 8);
    for (Operation *task : tasks)
      lower(*task);
    b.create<LLVM::ReturnOp>(number(0));
  }

private:
  /// Calls the runtime, and returns from the function if the status is not 0.
  void issue(StringRef name, ValueRange operands) {
    SmallVector<Type> types(operands.getTypes());
    callOrLeave(runtime.get(name, types), operands);
  }

  void lowerApart(ArrayRef<Operation *> tasks) override {
    auto program = tasks.front()->getParentOfType<plan::ProgramOp>();
    auto part = plan::createPart(program, tasks.front()->getLoc(),
                                 name + "_" + Twine(parts++),
                                 function.getFunctionType());
    Issuing(part, runtime, kernels, stops).run(tasks);
    callOrLeave(part, function.getArguments());
  }

  void callOrLeave(LLVM::LLVMFuncOp callee, ValueRange operands) {
    Value answer = b.create<LLVM::CallOp>(callee, operands).getResult();
    Value failed =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, answer, number(0));
    Block *after = newBlock();
    b.create<LLVM::CondBrOp>(failed, leave, ValueRange(answer), after,
                             ValueRange());
    b.setInsertionPointToEnd(after);
  }

  void lowerCopy(plan::CopyOp copy) override {
    Value bytes = number(plan::bytesOf(copy), 64);
    if (!plan::bytesOf(copy))
      return;
    if (isOfHost(copy.getTarget()))
      issue("weir_gpu_to_host", {stream, hostAddress(copy.getTarget()),
                                 address(copy.getSource()), bytes});
    else if (isOfHost(copy.getSource()))
      issue("weir_gpu_from_host", {stream, address(copy.getTarget()),
                                   hostAddress(copy.getSource()), bytes});
    else
      issue("weir_gpu_copy", {stream, address(copy.getTarget()),
                              address(copy.getSource()), bytes});
  }

  /// The offset of a buffer in the memory of the host, whose address the entry
  /// does not know.
  Value hostAddress(Value memref) {
    int64_t offset = 0;
    while (auto view = memref.getDefiningOp<plan::ViewOp>()) {
      offset += view.getOffset();
      memref = view.getSource();
    }
    return number(offset + memref.getDefiningOp<plan::BufferOp>().getOffset(),
                  64);
  }

  /// The task before or after this one in the same list, or null.
  static Operation *neighbour(Operation *op, bool after) {
    do
      op = after ? op->getNextNode() : op->getPrevNode();
    while (op && op->getNumResults());
    return op;
  }

  /// Lowers consecutive runs of the host to one function. The stream calls it
  /// with the addresses of the host's memory and weights.
  void lowerOnHost(plan::RunOp run) {
    auto before = dyn_cast_or_null<plan::RunOp>(neighbour(run, false));
    if (before && before.getHost())
      return;
    LLVM::LLVMFuncOp function;
    {
      OpBuilder::InsertionGuard guard(b);
      llvm::SaveAndRestore<Value> ofDevice(arena), ofWeights(weights);
      b.setInsertionPointToEnd(runtime.module.getBody());
      function = b.create<LLVM::LLVMFuncOp>(
          name + "_host_" + std::to_string(hostParts++),
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                      pointer()),
          LLVM::Linkage::Private);
      b.setInsertionPointToStart(function.addEntryBlock(b));
      Value host = function.getArgument(0);
      arena = b.create<LLVM::LoadOp>(pointer(), at(host, 0));
      weights = b.create<LLVM::LoadOp>(pointer(), at(host, 8));
      for (; run && run.getHost();
           run = dyn_cast_or_null<plan::RunOp>(neighbour(run, true))) {
        SmallVector<Value> operands;
        for (Value operand : run.getOperands())
          operands.push_back(address(operand));
        b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
      }
      b.create<LLVM::ReturnOp>(ValueRange());
    }
    issue("weir_gpu_on_host",
          {stream, b.create<LLVM::AddressOfOp>(function).getResult()});
  }

  /// Issues a call of a library. `operands` are indices of the run's operands,
  /// or -1 for none.
  void lowerCall(plan::RunOp run, LibraryCallAttr call) {
    SmallVector<Value> operands{stream, number(call.getNumber())};
    for (int64_t i : call.getOperands().asArrayRef())
      operands.push_back(i < 0 ? b.create<LLVM::ZeroOp>(pointer()).getResult()
                               : address(run.getOperands()[i]));
    operands.push_back(address(run.getOperands().back()));
    issue(call.getFunction(), operands);
  }

  void lowerRun(plan::RunOp run) override {
    if (run.getHost())
      return lowerOnHost(run);
    if (LibraryCallAttr call = attrs::libraryCall.of(run))
      return lowerCall(run, call);
    LaunchTable::Row row = kernels.lookup(run.getKernel());
    int64_t count = run.getOperands().size();
    for (auto [i, operand] : llvm::enumerate(run.getOperands()))
      b.create<LLVM::StoreOp>(address(operand), at(values, 8 * i));
    Value one = number(1);
    Value list =
        count ? addresses : b.create<LLVM::ZeroOp>(pointer()).getResult();
    issue("weir_gpu_launch", {stream, number(row.number), number(row.blocks),
                              one, one, number(row.threads), one, one,
                              number(row.shared), list, number(count)});
  }

  void lowerCheck(plan::CheckOp check) override {
    if (!stops)
      return issue("weir_gpu_check", {stream, address(check.getCondition()),
                                      number(check.getCode())});
    Value passed = isTrue(check.getCondition());
    Block *after = newBlock();
    b.create<LLVM::CondBrOp>(passed, after, ValueRange(), leave,
                             ValueRange(number(check.getCode())));
    b.setInsertionPointToEnd(after);
  }

  void lowerCheck(plan::CheckAccessesOp) override {
    llvm_unreachable("kernels of a GPU record no accesses");
  }

  /// Waits for a Boolean of the device.
  Value isTrue(Value memref) override {
    issue("weir_gpu_read", {stream, boolean, address(memref), number(1, 64)});
    return isSet(b.create<LLVM::LoadOp>(b.getI8Type(), boolean));
  }

  LLVM::LLVMFuncOp function;
  Runtime runtime;
  const LaunchTable &kernels;
  bool stops; // at a failed check
  std::string name;
  unsigned hostParts = 0, parts = 0;
  Value stream, values, addresses, boolean;
};

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
    SmallVector<plan::ProgramOp> programs(module.getOps<plan::ProgramOp>());
    llvm::StringSet<> capturable;
    for (plan::ProgramOp program : programs) {
      std::string name = plan::takeName(program);
      bool reads = false, stops = stopsAtChecks(program);
      program.walk([&](Operation *op) { reads |= readsBack(op, stops); });
      if (!reads)
        capturable.insert(name);
      lower(program, name);
      program.erase();
    }
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
  void lower(plan::ProgramOp program, const std::string &name) {
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
      Issuing(function, runtime, kernels, stopsAtChecks(program))
          .run(rest.take_front(count));
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

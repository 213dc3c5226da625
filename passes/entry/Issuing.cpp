// Lowers the tasks of a plan to calls that issue them to a stream of the GPU.

#include "passes/entry/Issuing.h"

#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace weir::entry {

LLVM::LLVMFuncOp Runtime::get(StringRef name, ArrayRef<Type> arguments) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  return b.create<LLVM::LLVMFuncOp>(
      module.getLoc(), name,
      LLVM::LLVMFunctionType::get(b.getI32Type(), arguments));
}

bool readsBack(Operation *op, bool stops) {
  return isa<plan::IfOp, plan::WhileOp>(op) ||
         (stops && isa<plan::CheckOp>(op));
}

namespace {

/// Whether a buffer is in the memory of the host.
bool isOfHost(Value memref) {
  while (auto view = memref.getDefiningOp<plan::ViewOp>())
    memref = view.getSource();
  auto buffer = memref.getDefiningOp<plan::BufferOp>();
  return buffer && buffer.getHost();
}

class Issuing : plan::TaskLowering {
public:
  Issuing(LLVM::LLVMFuncOp function, Runtime runtime,
          const LaunchTable &kernels, TaskTable &table, bool stops)
      : TaskLowering(function), function(function), runtime(runtime),
        kernels(kernels), table(table), stops(stops),
        name(function.getSymName()) {
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
    issueTasks(part, tasks, runtime, kernels, table, stops);
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

  /// The calls of a profile before and after a task.
  void beginTask(std::optional<int64_t> task) {
    if (task)
      issue("weir_gpu_profile_task_begin", stream);
  }
  void endTask(std::optional<int64_t> task) {
    if (task)
      issue("weir_gpu_profile_task_end", {stream, number(*task)});
  }

  void lowerCopy(plan::CopyOp copy) override {
    if (!plan::bytesOf(copy))
      return;
    std::optional<int64_t> task = table.add(copy);
    beginTask(task);
    issueCopy(copy);
    endTask(task);
  }

  void issueCopy(plan::CopyOp copy) {
    Value bytes = number(plan::bytesOf(copy), 64);
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
    SmallVector<plan::RunOp> runs;
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
        runs.push_back(run);
        SmallVector<Value> operands;
        for (Value operand : run.getOperands())
          operands.push_back(address(operand));
        b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
      }
      b.create<LLVM::ReturnOp>(ValueRange());
    }
    std::optional<int64_t> task = table.add(runs);
    beginTask(task);
    issue("weir_gpu_on_host",
          {stream, b.create<LLVM::AddressOfOp>(function).getResult()});
    endTask(task);
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
    std::optional<int64_t> task = table.add(run);
    beginTask(task);
    if (LibraryCallAttr call = attrs::libraryCall.of(run))
      lowerCall(run, call);
    else
      launch(run);
    endTask(task);
  }

  void launch(plan::RunOp run) {
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
  TaskTable &table;
  bool stops; // at a failed check
  std::string name;
  unsigned hostParts = 0, parts = 0;
  Value stream, values, addresses, boolean;
};

} // namespace

void issueTasks(LLVM::LLVMFuncOp function, ArrayRef<Operation *> tasks,
                Runtime runtime, const LaunchTable &kernels, TaskTable &table,
                bool stops) {
  Issuing(function, runtime, kernels, table, stops).run(tasks);
}

} // namespace weir::entry

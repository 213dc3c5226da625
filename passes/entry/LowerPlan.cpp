// A plan becomes an LLVM function that calls the kernels one after the other.

#include "passes/entry/Passes.h"
#include "passes/entry/Regions.h"

#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::entry {
#define GEN_PASS_DEF_LOWERPLAN
#include "passes/entry/Passes.h.inc"

namespace {

/// When a run ends before its last task.
enum class Ends {
  never,
  /// At the first check that fails. The status is then that of the entry.
  atCheck,
  /// When ranks agree on a failed check, or cannot exchange. A rank that ended
  /// before would leave the others waiting. The status is then -1.
  atExchange
};

/// The comparison of the status with 0 that holds for a run that ends.
LLVM::ICmpPredicate endsBy(Ends ends) {
  return ends == Ends::atExchange ? LLVM::ICmpPredicate::slt
                                  : LLVM::ICmpPredicate::ne;
}

/// Lowers tasks into a function of (arena, weights, arguments, team, state,
/// status), without the state where the model has none.
class Lowering : Regions {
public:
  /// `task groups` counts the lowered groups of the module, and `table` has its
  /// tasks.
  Lowering(LLVM::LLVMFuncOp function, unsigned &taskGroups, TaskTable &table,
           Ends ends)
      : Regions(function, taskGroups, table), ends(ends) {
    b.setInsertionPointToStart(function.addEntryBlock(b));
    arena = function.getArgument(0);
    weights = function.getArgument(1);
    arguments = function.getArgument(2);
    team = function.getArgument(3);
    status = function.getArguments().back();
    if (function.getNumArguments() == 6)
      state = function.getArgument(4);
  }

  void run(ArrayRef<Operation *> tasks) {
    allocateList(tasks);
    for (Operation *task : tasks)
      lower(*task);
    b.create<LLVM::ReturnOp>(ValueRange());
  }

private:
  void lowerCopy(plan::CopyOp copy) override {
    std::optional<int64_t> task = table.add(copy);
    copyBytes(copy);
    table.endTask(b, team, task);
  }

  void copyBytes(plan::CopyOp copy) {
    constexpr int64_t worthSharing = 1 << 18; // bytes
    Value to = address(copy.getTarget()), from = address(copy.getSource());
    Value bytes = number(plan::bytesOf(copy), 64);
    if (plan::bytesOf(copy) < worthSharing)
      return void(
          b.create<LLVM::MemcpyOp>(to, from, bytes, /*isVolatile=*/false));
    declareRuntime(copy->getParentOfType<ModuleOp>(), "weir_copy",
                   {pointer(), pointer(), pointer(), bytes.getType()});
    b.create<LLVM::CallOp>(TypeRange(), "weir_copy",
                           ValueRange{team, to, from, bytes});
  }

  void lowerCheck(plan::CheckOp check) override {
    Value failed =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq,
                               booleanByte(check.getCondition()), number(0, 8));
    failIf(failed, number(check.getCode()));
  }

  void lowerCheck(plan::CheckAccessesOp check) override {
    Value site =
        b.create<LLVM::LoadOp>(b.getI64Type(), address(check.getRecord()));
    Value failed =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, site, number(0, 64));
    Value code =
        b.create<LLVM::AddOp>(b.create<LLVM::TruncOp>(b.getI32Type(), site),
                              number(check.getCode() - 1));
    failIf(failed, code);
  }

  /// Keeps the code of the first failure.
  void failIf(Value failed, Value code) {
    Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
    Value first =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, now, number(0));
    Value both = b.create<LLVM::AndOp>(first, failed);
    b.create<LLVM::StoreOp>(b.create<LLVM::SelectOp>(both, code, now), status);
    // What follows a failure might assign variables, or overwrite the numbers
    // of the message.
    if (ends == Ends::atCheck)
      returnIf(failed);
  }

  void lowerExchange(Operation *op) override {
    Type i32 = b.getI32Type();
    SmallVector<Value> operands = {team};
    StringRef callee = "weir_continue_exchanges";
    if (auto start = dyn_cast<plan::StartOp>(op)) {
      callee = "weir_begin_exchange";
      operands.push_back(number(start.getNumber()));
    } else if (auto wait = dyn_cast<plan::WaitOp>(op)) {
      callee = "weir_end_exchange";
      operands.push_back(number(wait.getNumber()));
    } else if (auto exchange = dyn_cast<plan::ExchangeOp>(op)) {
      operands.push_back(number(exchange.getNumber()));
      callee = exchange.getAgrees() ? "weir_agree" : "weir_exchange";
      if (exchange.getAgrees())
        operands.push_back(b.create<LLVM::LoadOp>(i32, status));
      else
        operands.append(
            {address(exchange.getFirst()), address(exchange.getSecond())});
    }
    declareRuntime(
        op->getParentOfType<ModuleOp>(), callee,
        llvm::map_to_vector(operands,
                            [](Value operand) { return operand.getType(); }),
        i32);
    Value answer =
        b.create<LLVM::CallOp>(TypeRange(i32), callee, operands).getResult();
    Value failed =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, answer, number(0));
    Value now = b.create<LLVM::LoadOp>(i32, status);
    b.create<LLVM::StoreOp>(b.create<LLVM::SelectOp>(failed, number(-1), now),
                            status);
    returnIf(failed);
  }

  void returnIf(Value condition) {
    Block *stop = newBlock(), *after = newBlock();
    b.create<LLVM::CondBrOp>(condition, stop, after);
    b.setInsertionPointToEnd(stop);
    b.create<LLVM::ReturnOp>(ValueRange());
    b.setInsertionPointToEnd(after);
  }

  void lowerApart(ArrayRef<Operation *> tasks) override {
    auto program = tasks.front()->getParentOfType<plan::ProgramOp>();
    auto part = plan::createPart(program, tasks.front()->getLoc(),
                                 function.getSymName() + "_" + Twine(parts++),
                                 function.getFunctionType());
    Lowering(part, taskGroups, table, ends).run(tasks);
    b.create<LLVM::CallOp>(part, function.getArguments());
    if (ends == Ends::never)
      return;
    Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
    returnIf(b.create<LLVM::ICmpOp>(endsBy(ends), now, number(0)));
  }

  Value booleanByte(Value condition) {
    return b.create<LLVM::LoadOp>(b.getI8Type(), address(condition));
  }

  Value isTrue(Value memref) override { return isSet(booleanByte(memref)); }

  Value status;
  Ends ends;
  unsigned parts = 0; // functions of tasks in regions
};

struct LowerPlan : impl::LowerPlanBase<LowerPlan> {
  void runOnOperation() override {
    TaskTable table(getOperation());
    for (auto program :
         llvm::make_early_inc_range(getOperation().getOps<plan::ProgramOp>())) {
      std::string name = plan::takeName(program);
      table.enter(name);
      lower(program, name, table);
      program.erase();
    }
    table.write();
  }

private:
  unsigned taskGroups = 0;

  /// Splits the tasks into several functions, which the entry calls in turn.
  void lower(plan::ProgramOp program, const std::string &name,
             TaskTable &table) {
    SmallVector<Operation *> tasks = plan::tasksOf(program);
    ImplicitLocOpBuilder b(program.getLoc(), program);
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type nothing = LLVM::LLVMVoidType::get(&getContext());
    bool hasState = attrs::stateBytes.isOn(getOperation());
    Ends ends = Ends::never;
    if (attrs::mesh.isOn(getOperation()))
      ends = Ends::atExchange;
    else if (hasState || attrs::checkElements.isOn(getOperation()))
      ends = Ends::atCheck;
    SmallVector<Type> parameters(hasState ? 5 : 4, pointer);
    auto entry = b.create<LLVM::LLVMFuncOp>(
        name, LLVM::LLVMFunctionType::get(b.getI32Type(), parameters));
    parameters.push_back(pointer);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry.addEntryBlock(b));
    Value one = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(1));
    Value zero = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(0));
    Value status = b.create<LLVM::AllocaOp>(pointer, b.getI32Type(), one, 4);
    b.create<LLVM::StoreOp>(zero, status);
    Value team = entry.getArgument(3);
    table.beginRun(b, team);
    SmallVector<Value> operands(entry.getArguments());
    operands.push_back(status);
    ArrayRef<Operation *> rest = tasks;
    for (unsigned part = 0; !rest.empty(); ++part) {
      size_t count = plan::tasksOfPart(rest);
      auto function = plan::createPart(
          program, rest.front()->getLoc(), name + "_part_" + Twine(part),
          LLVM::LLVMFunctionType::get(nothing, parameters));
      Lowering(function, taskGroups, table, ends).run(rest.take_front(count));
      b.create<LLVM::CallOp>(function, operands);
      rest = rest.drop_front(count);
      if (ends == Ends::never || rest.empty())
        continue;
      // Parts after a failure would go on, too.
      Block *before = b.getInsertionBlock();
      Block *leave = b.createBlock(&entry.getBody(), entry.getBody().end());
      Block *after = b.createBlock(&entry.getBody(), entry.getBody().end());
      b.setInsertionPointToEnd(before);
      Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
      Value failed = b.create<LLVM::ICmpOp>(endsBy(ends), now, zero);
      b.create<LLVM::CondBrOp>(failed, leave, after);
      b.setInsertionPointToEnd(leave);
      table.endRun(b, team);
      b.create<LLVM::ReturnOp>(now);
      b.setInsertionPointToEnd(after);
    }
    table.endRun(b, team);
    b.create<LLVM::ReturnOp>(
        b.create<LLVM::LoadOp>(b.getI32Type(), status).getResult());
  }
};

} // namespace
} // namespace weir::entry

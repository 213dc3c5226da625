// A plan becomes an LLVM function that calls the kernels one after the other.

#include "passes/cpu/Passes.h"
#include "passes/cpu/Sharing.h"

#include "dialects/plan/Tasks.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_LOWERPLAN
#include "passes/cpu/Passes.h.inc"

namespace {

/// Lowers tasks into a function of (arena, weights, arguments, team, state,
/// status), without the state where the model has none.
class Lowering : plan::TaskLowering {
public:
  /// `waves` counts the waves of the module that have been lowered.
  Lowering(LLVM::LLVMFuncOp function, unsigned &waves)
      : TaskLowering(function), function(function), waves(waves) {
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
    // One list of operands at a time: a region is over when its call returns.
    int64_t most = 0;
    for (Operation *task : tasks)
      task->walk([&](plan::RunOp run) {
        int64_t count = 0;
        if (run.getGrains() || run.getWave())
          for (plan::RunOp of = run; of; of = of.nextOfWave())
            count += of.getOperands().size() + alternates(of);
        most = std::max(most, count);
      });
    if (most)
      operandList =
          b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
    for (Operation *task : tasks)
      lower(*task);
    b.create<LLVM::ReturnOp>(ValueRange());
  }

private:
  void lowerCopy(plan::CopyOp copy) override {
    constexpr int64_t worthSharing = 1 << 18; // bytes
    Value to = address(copy.getTarget()), from = address(copy.getSource());
    Value bytes = number(plan::bytesOf(copy), 64);
    if (plan::bytesOf(copy) < worthSharing)
      return void(
          b.create<LLVM::MemcpyOp>(to, from, bytes, /*isVolatile=*/false));
    declare("weir_copy", {pointer(), pointer(), pointer(), bytes.getType()},
            copy->getParentOfType<ModuleOp>());
    b.create<LLVM::CallOp>(TypeRange(), "weir_copy",
                           ValueRange{team, to, from, bytes});
  }

  /// What the runtime has.
  void declare(StringRef name, ArrayRef<Type> parameters, ModuleOp module) {
    if (module.lookupSymbol(name))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    Type nothing = LLVM::LLVMVoidType::get(b.getContext());
    b.create<LLVM::LLVMFuncOp>(
        name, LLVM::LLVMFunctionType::get(nothing, parameters));
  }

  void lowerRun(plan::RunOp run) override {
    // What needs its own rows but is not shared by them is no region.
    bool isAlone = run.getByRows() && !run.getGrains();
    if (auto before = dyn_cast_or_null<plan::RunOp>(run->getPrevNode()))
      if (!isAlone && before.nextOfWave())
        return;
    if (!isAlone && run.nextOfWave())
      return run.getByRows() ? lowerRowWave(run) : lowerWave(run);
    SmallVector<Value> operands;
    for (Value operand : run.getOperands())
      operands.push_back(address(operand));
    if (!run.getGrains()) {
      b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
      return;
    }
    for (auto [i, operand] : llvm::enumerate(operands))
      b.create<LLVM::StoreOp>(operand, at(operandList, 8 * i));
    if (alternates(run)) {
      Value turn = turnOf(run);
      Value now = b.create<LLVM::LoadOp>(b.getI64Type(), turn);
      b.create<LLVM::StoreOp>(now, at(operandList, 8 * operands.size()));
      b.create<LLVM::StoreOp>(b.create<LLVM::XOrOp>(now, number(1, 64)), turn);
    }
    Value each = number(run.getFew() ? 1 : partsOfThread, 64);
    b.create<LLVM::CallOp>(
        TypeRange(), "weir_parallel",
        ValueRange{team, number(*run.getGrains(), 64),
                   number(run.getSlots(), 64), each,
                   b.create<LLVM::AddressOfOp>(pointer(), partOf(run)),
                   operandList});
  }

  /// Whether the run's grains may go from the last to the first, which its
  /// kernel is told by their ends.
  static bool alternates(plan::RunOp run) {
    return run.getGrains() && run->hasAttr("weir.alternates");
  }

  /// Where it says whether the kernel's next run goes backward.
  Value turnOf(plan::RunOp run) {
    Value &turn = turns[run.getKernelAttr().getAttr()];
    if (!turn) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&function.getBody().front());
      turn = b.create<LLVM::AllocaOp>(pointer(), b.getI64Type(), number(1, 64));
      b.create<LLVM::StoreOp>(number(0, 64), turn);
    }
    return turn;
  }

  /// The function that threads call: the kernel with its operands from a list.
  std::string partOf(plan::RunOp run) {
    std::string name = (run.getKernel() + ".part").str();
    if (!run->getParentOfType<ModuleOp>().lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(b);
      LLVM::LLVMFuncOp part = makePart(name, run);
      Value list = part.getArgument(0);
      SmallVector<Value> range(part.getArguments().drop_front());
      if (alternates(run)) {
        Value turn = b.create<LLVM::LoadOp>(
            b.getI64Type(), at(list, 8 * run.getOperands().size()));
        Value odd = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, turn,
                                           number(0, 64));
        Value first = range[0], last = range[1];
        range[0] = b.create<LLVM::SelectOp>(odd, last, first);
        range[1] = b.create<LLVM::SelectOp>(odd, first, last);
      }
      callOn(run, list, 0, range);
      b.create<LLVM::ReturnOp>(ValueRange());
    }
    return name;
  }

  /// An empty function that threads call, of (list, first, last, slot), where
  /// ops are inserted now.
  LLVM::LLVMFuncOp makePart(StringRef name, Operation *inside) {
    auto module = inside->getParentOfType<ModuleOp>();
    Type size = b.getI64Type(),
         nothing = LLVM::LLVMVoidType::get(b.getContext());
    declare("weir_parallel",
            {pointer(), size, size, size, pointer(), pointer()}, module);
    b.setInsertionPointToEnd(module.getBody());
    auto part = b.create<LLVM::LLVMFuncOp>(
        name,
        LLVM::LLVMFunctionType::get(nothing, {pointer(), size, size, size}),
        LLVM::Linkage::Private);
    b.setInsertionPointToStart(part.addEntryBlock(b));
    return part;
  }

  /// Calls the kernel with the operands that the list has from `first`.
  void callOn(plan::RunOp run, Value list, int64_t first, ValueRange range) {
    SmallVector<Value> operands;
    for (size_t i = 0; i < run.getOperands().size(); ++i)
      operands.push_back(
          b.create<LLVM::LoadOp>(pointer(), at(list, 8 * (first + i))));
    llvm::append_range(operands, range);
    b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
  }

  /// One region whose grains are blocks of rows. A part does all runs of a
  /// block before the next, so that what one makes of it the next finds near,
  /// and waits for nobody between them.
  void lowerRowWave(plan::RunOp first) {
    std::string name = "weir_wave_" + std::to_string(waves++);
    {
      OpBuilder::InsertionGuard guard(b);
      fillRowWave(makePart(name, first), first);
    }
    storeOperands(first);
    b.create<LLVM::CallOp>(
        TypeRange(), "weir_parallel",
        ValueRange{team, number(*first.getGrains(), 64),
                   number(slotsOf(first), 64), number(partsOfThread, 64),
                   b.create<LLVM::AddressOfOp>(pointer(), name), operandList});
  }

  void fillRowWave(LLVM::LLVMFuncOp part, plan::RunOp run) {
    Block *head = newBlock(), *body = newBlock(), *after = newBlock();
    Value grain = head->addArgument(b.getI64Type(), run.getLoc());
    b.create<LLVM::BrOp>(part.getArgument(1), head);
    b.setInsertionPointToEnd(head);
    Value more = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::slt, grain,
                                        part.getArgument(2));
    b.create<LLVM::CondBrOp>(more, body, after);
    b.setInsertionPointToEnd(body);
    Value next = b.create<LLVM::AddOp>(grain, number(1, 64));
    int64_t operand = 0;
    for (; run; run = run.nextOfWave()) {
      callOn(run, part.getArgument(0), operand,
             {grain, next, part.getArgument(3)});
      operand += run.getOperands().size();
    }
    b.create<LLVM::BrOp>(next, head);
    b.setInsertionPointToEnd(after);
    b.create<LLVM::ReturnOp>(ValueRange());
  }

  /// Puts the operands of all runs of the wave into the list.
  void storeOperands(plan::RunOp first) {
    int64_t stored = 0;
    for (plan::RunOp run = first; run; run = run.nextOfWave())
      for (Value operand : run.getOperands())
        b.create<LLVM::StoreOp>(address(operand),
                                at(operandList, 8 * stored++));
  }

  /// The fewest slots of the wave's runs that have any; 0: none has.
  static int64_t slotsOf(plan::RunOp first) {
    int64_t slots = 0;
    for (plan::RunOp run = first; run; run = run.nextOfWave())
      if (run.getSlots())
        slots =
            slots ? std::min<int64_t>(slots, run.getSlots()) : run.getSlots();
    return slots;
  }

  /// One region whose grains are those of all runs of the wave, one after the
  /// other. A run whose grains are better not cut often gives few of them.
  void lowerWave(plan::RunOp first) {
    storeOperands(first);
    int64_t total = 0;
    for (plan::RunOp run = first; run; run = run.nextOfWave())
      total += sharesOf(run);
    std::string name = "weir_wave_" + std::to_string(waves++);
    {
      OpBuilder::InsertionGuard guard(b);
      fillWave(makePart(name, first), first);
    }
    b.create<LLVM::CallOp>(
        TypeRange(), "weir_parallel",
        ValueRange{team, number(total, 64), number(slotsOf(first), 64),
                   number(partsOfThread, 64),
                   b.create<LLVM::AddressOfOp>(pointer(), name), operandList});
  }

  static int64_t sharesOf(plan::RunOp run) {
    int64_t grains = run.getGrains().value_or(1);
    return run.getFew() ? std::min<int64_t>(grains, 4) : grains;
  }

  void fillWave(LLVM::LLVMFuncOp part, plan::RunOp run) {
    Value list = part.getArgument(0), slot = part.getArgument(3);
    int64_t operand = 0, begin = 0;
    for (; run; run = run.nextOfWave()) {
      int64_t shares = sharesOf(run);
      Value none = number(0, 64), all = number(shares, 64);
      Value offset = number(begin, 64);
      Value low = b.create<LLVM::SMaxOp>(
          b.create<LLVM::SubOp>(part.getArgument(1), offset), none);
      Value high = b.create<LLVM::SMinOp>(
          b.create<LLVM::SubOp>(part.getArgument(2), offset), all);
      Value any = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::slt, low, high);
      Block *call = newBlock(), *after = newBlock();
      b.create<LLVM::CondBrOp>(any, call, after);
      b.setInsertionPointToEnd(call);
      auto grain = [&](Value share) -> Value {
        Value scaled =
            b.create<LLVM::MulOp>(share, number(*run.getGrains(), 64));
        return b.create<LLVM::SDivOp>(scaled, all);
      };
      if (run.getGrains())
        callOn(run, list, operand, {grain(low), grain(high), slot});
      else
        callOn(run, list, operand, {});
      b.create<LLVM::BrOp>(after);
      b.setInsertionPointToEnd(after);
      operand += run.getOperands().size();
      begin += shares;
    }
    b.create<LLVM::ReturnOp>(ValueRange());
  }

  void lowerCheck(plan::CheckOp check) override {
    Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
    Value first =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, now, number(0));
    Value failed = b.create<LLVM::ICmpOp>(
        LLVM::ICmpPredicate::eq, truthByte(check.getCondition()), number(0, 8));
    Value both = b.create<LLVM::AndOp>(first, failed);
    b.create<LLVM::StoreOp>(
        b.create<LLVM::SelectOp>(both, number(check.getCode()), now), status);
    // What follows a failure might assign variables.
    if (state)
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
    Lowering(part, waves).run(tasks);
    b.create<LLVM::CallOp>(part, function.getArguments());
    if (!state)
      return;
    Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
    returnIf(b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, now, number(0)));
  }

  Value truthByte(Value condition) {
    return b.create<LLVM::LoadOp>(b.getI8Type(), address(condition));
  }

  Value isTrue(Value place) override { return isSet(truthByte(place)); }

  LLVM::LLVMFuncOp function;
  Value team, status;
  Value operandList; // where operands of kernels wait for their threads
  DenseMap<StringAttr, Value> turns;
  unsigned &waves;
  unsigned parts = 0; // functions of tasks in regions
};

struct LowerPlan : impl::LowerPlanBase<LowerPlan> {
  void runOnOperation() override {
    for (auto program :
         llvm::make_early_inc_range(getOperation().getOps<plan::ProgramOp>())) {
      std::string name = plan::takeName(program);
      lower(program, name);
      program.erase();
    }
  }

private:
  unsigned waves = 0;

  /// The entry calls one function after the other, each with some of the tasks.
  void lower(plan::ProgramOp program, const std::string &name) {
    SmallVector<Operation *> tasks = plan::tasksOf(program);
    ImplicitLocOpBuilder b(program.getLoc(), program);
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type nothing = LLVM::LLVMVoidType::get(&getContext());
    bool hasState = getOperation()->hasAttr("weir.state_bytes");
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
    SmallVector<Value> operands(entry.getArguments());
    operands.push_back(status);
    ArrayRef<Operation *> rest = tasks;
    for (unsigned part = 0; !rest.empty(); ++part) {
      size_t count = plan::tasksOfPart(rest);
      auto function = plan::createPart(
          program, rest.front()->getLoc(), name + "_part_" + Twine(part),
          LLVM::LLVMFunctionType::get(nothing, parameters));
      Lowering(function, waves).run(rest.take_front(count));
      b.create<LLVM::CallOp>(function, operands);
      rest = rest.drop_front(count);
      if (!hasState || rest.empty())
        continue;
      // Parts after a failure would go on, too.
      Block *before = b.getInsertionBlock();
      Block *leave = b.createBlock(&entry.getBody(), entry.getBody().end());
      Block *after = b.createBlock(&entry.getBody(), entry.getBody().end());
      b.setInsertionPointToEnd(before);
      Value now = b.create<LLVM::LoadOp>(b.getI32Type(), status);
      Value failed = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, now, zero);
      b.create<LLVM::CondBrOp>(failed, leave, after);
      b.setInsertionPointToEnd(leave);
      b.create<LLVM::ReturnOp>(now);
      b.setInsertionPointToEnd(after);
    }
    b.create<LLVM::ReturnOp>(
        b.create<LLVM::LoadOp>(b.getI32Type(), status).getResult());
  }
};

} // namespace
} // namespace weir

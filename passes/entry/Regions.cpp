// Runs of kernels become calls, and regions that threads share: a function that
// each thread calls, and a list of the kernels' operands.

#include "passes/entry/Regions.h"

#include "dialects/kernel/Sharing.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::entry {

/// Whether the run may process its work items in reverse order, which its
/// kernel recognizes by their bounds.
static bool alternates(plan::RunOp run) {
  return run.getWorkItems() && attrs::alternates.isOn(run);
}

/// The smallest number of worker slots of the group's runs that have any; 0 if
/// none has.
static int64_t slotsOf(plan::RunOp first) {
  int64_t slots = 0;
  for (plan::RunOp run = first; run; run = run.nextInGroup())
    if (run.getSlots())
      slots = slots ? std::min<int64_t>(slots, run.getSlots()) : run.getSlots();
  return slots;
}

void Regions::allocateList(ArrayRef<Operation *> tasks) {
  int64_t most = 0;
  for (Operation *task : tasks)
    task->walk([&](plan::RunOp run) {
      int64_t count = 0;
      if (run.getWorkItems() || run.getTaskGroup())
        for (plan::RunOp of = run; of; of = of.nextInGroup())
          count += of.getOperands().size() + alternates(of);
      // The chunks of a profile need the team.
      if (count && table.isOn())
        ++count;
      most = std::max(most, count);
    });
  if (most)
    operandList =
        b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
}

void Regions::lowerRun(plan::RunOp run) {
  // What needs its own rows but is not shared by them is no region.
  bool isAlone = run.getRowWise() && !run.getWorkItems();
  if (auto before = dyn_cast_or_null<plan::RunOp>(run->getPrevNode()))
    if (!isAlone && before.nextInGroup())
      return;
  bool isGroup = !isAlone && run.nextInGroup();
  task = table.add(run, isGroup);
  if (!isGroup)
    lowerOneRun(run);
  else if (run.getRowWise())
    lowerRowWiseGroup(run);
  else
    lowerTaskGroup(run);
  table.endTask(b, team, task);
}

void Regions::lowerOneRun(plan::RunOp run) {
  SmallVector<Value> operands = addresses(run);
  if (!run.getWorkItems()) {
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
  std::string part = partOf(run);
  callParallel(workItemsOf(run, operands), run.getSlots(),
               run.getCoarse() ? 1 : chunksOfThread, part);
}

SmallVector<Value> Regions::addresses(plan::RunOp run) {
  return llvm::map_to_vector(run.getOperands(),
                             [&](Value operand) { return address(operand); });
}

/// The number of work items of a run for its actual sizes.
Value Regions::workItemsOf(plan::RunOp run, ValueRange operands) {
  if (!run.getCount())
    return number(*run.getWorkItems(), 64);
  return b
      .create<LLVM::CallOp>(TypeRange(b.getI64Type()), run.getCountAttr(),
                            operands)
      .getResult();
}

/// Where it says whether the kernel's next run goes backward.
Value Regions::turnOf(plan::RunOp run) {
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
std::string Regions::partOf(plan::RunOp run) {
  std::string name = (run.getKernel() + ".part").str();
  if (!run->getParentOfType<ModuleOp>().lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    LLVM::LLVMFuncOp part = makePart(name, run);
    Value list = part.getArgument(0);
    SmallVector<Value> range(part.getArguments().drop_front());
    if (alternates(run)) {
      Value turn = b.create<LLVM::LoadOp>(
          b.getI64Type(), at(list, 8 * run.getOperands().size()));
      Value odd =
          b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, turn, number(0, 64));
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
LLVM::LLVMFuncOp Regions::makePart(StringRef name, Operation *inside) {
  auto module = inside->getParentOfType<ModuleOp>();
  Type size = b.getI64Type(), nothing = LLVM::LLVMVoidType::get(b.getContext());
  SmallVector<Type> parameters = {pointer(), size,      size,
                                  size,      pointer(), pointer()};
  if (table.isOn())
    parameters.push_back(b.getI32Type());
  declareRuntime(module, parallel(), parameters);
  b.setInsertionPointToEnd(module.getBody());
  auto part = b.create<LLVM::LLVMFuncOp>(
      name, LLVM::LLVMFunctionType::get(nothing, {pointer(), size, size, size}),
      LLVM::Linkage::Private);
  b.setInsertionPointToStart(part.addEntryBlock(b));
  return part;
}

/// The run's operands, which the list has from `first` on.
SmallVector<Value> Regions::operandsOf(plan::RunOp run, Value list,
                                       int64_t first) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < run.getOperands().size(); ++i)
    operands.push_back(
        b.create<LLVM::LoadOp>(pointer(), at(list, 8 * (first + i))));
  return operands;
}

void Regions::callOn(plan::RunOp run, Value list, int64_t first,
                     ValueRange range) {
  SmallVector<Value> operands = operandsOf(run, list, first);
  llvm::append_range(operands, range);
  b.create<LLVM::CallOp>(TypeRange(), run.getKernelAttr(), operands);
}

/// Emits one region whose work items are blocks of rows. A chunk executes all
/// runs for one block before the next block. So a run finds the results of the
/// earlier ones in its caches, and needs no barrier.
void Regions::lowerRowWiseGroup(plan::RunOp first) {
  std::string name = "weir_task_group_" + std::to_string(taskGroups++);
  {
    OpBuilder::InsertionGuard guard(b);
    fillRowWiseGroup(makePart(name, first), first);
  }
  storeOperands(first);
  // The most of its runs; all are alike where each has its own number.
  Value workItems = number(0, 64);
  for (plan::RunOp run = first; run; run = run.nextInGroup())
    workItems = larger(workItems, workItemsOf(run, addresses(run)));
  callParallel(workItems, slotsOf(first), chunksOfThread, name);
}

void Regions::fillRowWiseGroup(LLVM::LLVMFuncOp part, plan::RunOp run) {
  Block *head = newBlock(), *body = newBlock(), *after = newBlock();
  Value workItem = head->addArgument(b.getI64Type(), run.getLoc());
  b.create<LLVM::BrOp>(part.getArgument(1), head);
  b.setInsertionPointToEnd(head);
  Value more = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::slt, workItem,
                                      part.getArgument(2));
  b.create<LLVM::CondBrOp>(more, body, after);
  b.setInsertionPointToEnd(body);
  Value next = b.create<LLVM::AddOp>(workItem, number(1, 64));
  int64_t operand = 0;
  for (; run; run = run.nextInGroup()) {
    callOn(run, part.getArgument(0), operand,
           {workItem, next, part.getArgument(3)});
    operand += run.getOperands().size();
  }
  b.create<LLVM::BrOp>(next, head);
  b.setInsertionPointToEnd(after);
  b.create<LLVM::ReturnOp>(ValueRange());
}

/// Stores the operands of all runs of the group to the list, and after them the
/// team of a profile.
void Regions::storeOperands(plan::RunOp first) {
  int64_t stored = 0;
  for (plan::RunOp run = first; run; run = run.nextInGroup())
    for (Value operand : run.getOperands())
      b.create<LLVM::StoreOp>(address(operand), at(operandList, 8 * stored++));
  if (table.isOn())
    b.create<LLVM::StoreOp>(team, at(operandList, 8 * stored));
}

/// Emits one region with the work items of all runs of the group, one after the
/// other. A run with coarse work items counts as few. In a balanced group each
/// run counts as its share of the time, so that chunks take equal times.
void Regions::lowerTaskGroup(plan::RunOp first) {
  storeOperands(first);
  Value total = number(0, 64);
  for (plan::RunOp run = first; run; run = run.nextInGroup())
    total = sum(total, shareOf(run, addresses(run)).items);
  std::string name = "weir_task_group_" + std::to_string(taskGroups++);
  {
    OpBuilder::InsertionGuard guard(b);
    fillTaskGroup(makePart(name, first), first);
  }
  callParallel(total, slotsOf(first), chunksOfThread, name);
}

void Regions::fillTaskGroup(LLVM::LLVMFuncOp part, plan::RunOp run) {
  Value list = part.getArgument(0), slot = part.getArgument(3);
  int64_t operand = 0, operands = 0;
  for (plan::RunOp each = run; each; each = each.nextInGroup())
    operands += each.getOperands().size();
  Value none = number(0, 64), one = number(1, 64), offset = none;
  for (; run; run = run.nextInGroup()) {
    Share all = shareOf(run, operandsOf(run, list, operand));
    Value low = b.create<LLVM::SMaxOp>(
        b.create<LLVM::SubOp>(part.getArgument(1), offset), none);
    Value high = b.create<LLVM::SMinOp>(
        b.create<LLVM::SubOp>(part.getArgument(2), offset), all.items);
    offset = sum(offset, all.items);
    Value any = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::slt, low, high);
    if (run.getItems() && !run.getWorkItems())
      any = b.create<LLVM::AndOp>(
          any, b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, low, none));
    Block *call = newBlock(), *after = newBlock();
    b.create<LLVM::CondBrOp>(any, call, after);
    b.setInsertionPointToEnd(call);
    auto workItem = [&](Value item) -> Value {
      if (all.workItems == all.items)
        return item;
      Value scaled = b.create<LLVM::MulOp>(item, all.workItems);
      return b.create<LLVM::SDivOp>(scaled, larger(all.items, one));
    };
    if (run.getWorkItems())
      callOn(run, list, operand, {workItem(low), workItem(high), slot});
    else
      callOn(run, list, operand, {});
    if (auto chunk = table.add(run, /*isGroup=*/false))
      table.endChunk(b,
                     b.create<LLVM::LoadOp>(pointer(), at(list, 8 * operands)),
                     slot, *chunk);
    b.create<LLVM::BrOp>(after);
    b.setInsertionPointToEnd(after);
    operand += run.getOperands().size();
  }
  b.create<LLVM::ReturnOp>(ValueRange());
}

Regions::Share Regions::shareOf(plan::RunOp run, ValueRange operands) {
  constexpr int64_t few = 4;
  Value workItems =
      run.getWorkItems() ? workItemsOf(run, operands) : number(1, 64);
  if (run.getItems())
    return {workItems, number(*run.getItems(), 64)};
  return {workItems,
          run.getCoarse() ? smaller(workItems, number(few, 64)) : workItems};
}

void Regions::callParallel(Value workItems, int64_t slots, int64_t each,
                           StringRef part) {
  SmallVector<Value> operands = {team,
                                 workItems,
                                 number(slots, 64),
                                 number(each, 64),
                                 b.create<LLVM::AddressOfOp>(pointer(), part),
                                 operandList};
  if (task)
    operands.push_back(number(*task));
  b.create<LLVM::CallOp>(TypeRange(), parallel(), operands);
}

/// The runtime's function for regions.
StringRef Regions::parallel() const {
  return table.isOn() ? "weir_profile_parallel" : "weir_parallel";
}

/// Of two 64-bit integers; a constant where both are.
template <typename Op, typename Fold>
static Value combine(ImplicitLocOpBuilder &b, Value left, Value right,
                     Fold fold) {
  llvm::APInt l, r;
  if (!matchPattern(left, m_ConstantInt(&l)) ||
      !matchPattern(right, m_ConstantInt(&r)))
    return b.create<Op>(left, right);
  int64_t both = fold(l.getSExtValue(), r.getSExtValue());
  if (l == both || r == both)
    return l == both ? left : right;
  return b.create<LLVM::ConstantOp>(b.getI64IntegerAttr(both));
}

Value Regions::sum(Value left, Value right) {
  return combine<LLVM::AddOp>(b, left, right, std::plus<int64_t>());
}

Value Regions::larger(Value left, Value right) {
  return combine<LLVM::SMaxOp>(
      b, left, right, [](int64_t l, int64_t r) { return std::max(l, r); });
}

Value Regions::smaller(Value left, Value right) {
  return combine<LLVM::SMinOp>(
      b, left, right, [](int64_t l, int64_t r) { return std::min(l, r); });
}

} // namespace weir::entry

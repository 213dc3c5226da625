// Lowers tasks of a plan to LLVM ops.

#include "dialects/plan/Tasks.h"

#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

constexpr size_t tasksPerFunction = 100;

static SmallVector<Operation *> tasksOf(Block &block) {
  SmallVector<Operation *> tasks;
  for (Operation &op : block)
    if (op.getNumResults() == 0) // an op with a result defines a buffer
      tasks.push_back(&op);
  return tasks;
}

SmallVector<Operation *> tasksOf(ProgramOp program) {
  return tasksOf(program.getBody().front());
}

size_t tasksOfPart(ArrayRef<Operation *> rest) {
  size_t count = std::min(rest.size(), tasksPerFunction);
  auto last = count ? dyn_cast<RunOp>(rest[count - 1]) : nullptr;
  while (last && (last = last.nextInGroup()))
    ++count;
  return count;
}

LLVM::LLVMFuncOp createPart(ProgramOp program, Location at, const Twine &name,
                            LLVM::LLVMFunctionType type) {
  OpBuilder b(program);
  auto part =
      b.create<LLVM::LLVMFuncOp>(at, name.str(), type, LLVM::Linkage::Private);
  // LLVM would inline a function with one call, and the block would be long
  // again.
  part.setPassthroughAttr(b.getArrayAttr(b.getStringAttr("noinline")));
  return part;
}

std::string takeName(ProgramOp program) {
  std::string name = program.getSymName().str();
  program.setSymName(name + ".plan");
  return name;
}

int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t bytesOf(CopyOp copy) {
  return bytesOf(cast<MemRefType>(copy.getSource().getType()));
}

void TaskLowering::lower(Operation &task) {
  b.setLoc(task.getLoc());
  if (auto copy = dyn_cast<CopyOp>(task))
    lowerCopy(copy);
  else if (auto run = dyn_cast<RunOp>(task))
    lowerRun(run);
  else if (auto check = dyn_cast<CheckOp>(task))
    lowerCheck(check);
  else if (auto accesses = dyn_cast<CheckAccessesOp>(task))
    lowerCheck(accesses);
  else if (isa<ExchangeOp, StartOp, ProgressOp, WaitOp>(task))
    lowerExchange(&task);
  else if (auto branch = dyn_cast<IfOp>(task))
    lowerIf(branch);
  else if (auto loop = dyn_cast<WhileOp>(task))
    lowerWhile(loop);
}

void TaskLowering::lowerBlock(Block &block) {
  SmallVector<Operation *> tasks = tasksOf(block);
  if (tasksOfPart(tasks) == tasks.size()) {
    for (Operation *task : tasks)
      lower(*task);
    return;
  }
  for (ArrayRef<Operation *> rest = tasks; !rest.empty();) {
    size_t count = tasksOfPart(rest);
    lowerApart(rest.take_front(count));
    rest = rest.drop_front(count);
  }
}

void TaskLowering::lowerIf(IfOp branch) {
  Value boolean = isTrue(branch.getCondition());
  Block *then = newBlock(), *otherwise = newBlock(), *after = newBlock();
  b.create<LLVM::CondBrOp>(boolean, then, otherwise);
  for (auto [block, region] :
       {std::make_pair(then, &branch.getThenRegion()),
        std::make_pair(otherwise, &branch.getElseRegion())}) {
    b.setInsertionPointToEnd(block);
    lowerBlock(region->front());
    b.create<LLVM::BrOp>(after);
  }
  b.setInsertionPointToEnd(after);
}

void TaskLowering::lowerWhile(WhileOp loop) {
  Block *head = newBlock(), *body = newBlock(), *after = newBlock();
  b.create<LLVM::BrOp>(head);
  b.setInsertionPointToEnd(head);
  lowerBlock(loop.getBefore().front());
  b.create<LLVM::CondBrOp>(isTrue(loop.getCondition()), body, after);
  b.setInsertionPointToEnd(body);
  lowerBlock(loop.getBody().front());
  b.create<LLVM::BrOp>(head);
  b.setInsertionPointToEnd(after);
}

Value TaskLowering::address(Value memref) {
  int64_t offset = 0;
  while (auto view = memref.getDefiningOp<ViewOp>()) {
    offset += view.getOffset();
    memref = view.getSource();
  }
  if (auto buffer = memref.getDefiningOp<BufferOp>())
    return at(arena, buffer.getOffset() + offset);
  if (auto weight = memref.getDefiningOp<WeightOp>())
    return at(blockOf(weight), weight.getOffset() + offset);
  if (auto variable = memref.getDefiningOp<StateOp>())
    return at(state, variable.getOffset() + offset);
  auto argument = memref.getDefiningOp<ArgumentOp>();
  Value start =
      b.create<LLVM::LoadOp>(pointer(), at(arguments, 8 * argument.getIndex()));
  return offset ? at(start, offset) : start;
}

Value TaskLowering::blockOf(WeightOp weight) {
  int64_t region = weight.getRegion();
  if (!region)
    return weights;
  auto module = weight->getParentOfType<ModuleOp>();
  int64_t table = attrs::weightTable.of(module).getInt();
  return b.create<LLVM::LoadOp>(pointer(), at(arena, table + 8 * (region - 1)));
}

Value TaskLowering::at(Value base, int64_t offset) {
  return b.create<LLVM::GEPOp>(pointer(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{number(offset, 64)},
                               /*inbounds=*/true);
}

Value TaskLowering::number(int64_t value, unsigned width) {
  return b.create<LLVM::ConstantOp>(
      b.getIntegerAttr(b.getIntegerType(width), value));
}

Value TaskLowering::isSet(Value byte) {
  return b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, byte, number(0, 8));
}

Type TaskLowering::pointer() {
  return LLVM::LLVMPointerType::get(b.getContext());
}

Block *TaskLowering::newBlock() {
  OpBuilder::InsertionGuard guard(b);
  Region *region = b.getInsertionBlock()->getParent();
  return b.createBlock(region, leave ? leave->getIterator() : region->end());
}

} // namespace weir::plan

// Plans one entry: which buffer each value has, and the order of tasks.

#include "passes/plan/Planner.h"

#include "dialects/graph/Elements.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::plan {

static func::FuncOp kernelOf(plan::TaskOp task) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      task, task.getKernelAttr());
}

static ArrayRef<int64_t> inPlaceOf(func::FuncOp kernel) {
  auto inputs = kernel ? attrs::inPlace.of(kernel) : DenseI64ArrayAttr();
  return inputs ? inputs.asArrayRef() : ArrayRef<int64_t>();
}

/// Lets an output share the buffer of an input that the kernel reads in place.
static void letAlias(func::FuncOp kernel, plan::TaskOp task) {
  unsigned inputs = task.getInputs().size();
  for (int64_t i : inPlaceOf(kernel))
    kernel.removeArgAttr(i, "llvm.noalias");
  for (unsigned i = 0; i < task->getNumResults(); ++i)
    kernel.removeArgAttr(inputs + i, "llvm.noalias");
  attrs::aliases.set(kernel);
}

static bool isContiguous(graph::ConcatOp concat) {
  return graph::joinsContiguously(
      cast<RankedTensorType>(concat.getType()).getShape(), concat.getAxis());
}

static std::optional<int64_t> startOf(graph::SliceOp slice) {
  return graph::contiguousStart(slice.getX().getType().getShape(),
                                slice.getStarts(), slice.getLimits(),
                                slice.getStrides());
}

/// Whether the op that computes the value leaves it in the memory of a GPU's
/// host.
static bool isOnHost(Value value) {
  Operation *maker = value.getDefiningOp();
  if (auto task = dyn_cast_or_null<plan::TaskOp>(maker))
    return task.getHost();
  auto transfer = dyn_cast_or_null<plan::TransferOp>(maker);
  return transfer && transfer.getHost();
}

LogicalResult Planner::run(OpBuilder tasks) {
  Block &body = entry.getBody().front();
  auto result = cast<func::ReturnOp>(body.getTerminator());
  int64_t index = 0;
  for (BlockArgument argument : body.getArguments())
    where[argument] =
        buffers.argument(entry.getLoc(), index++, argument.getType());
  // Results of the entry are written directly to the caller's memory. A value
  // that is returned twice is written to one output and copied to the others.
  SmallVector<Value> outputs;
  for (Value value : result.getOperands()) {
    outputs.push_back(
        buffers.argument(entry.getLoc(), index++, value.getType()));
    makeAt(value, outputs.back(), body);
  }
  if (failed(planBlock(body, tasks)))
    return failure();
  agreeIfChecked(tasks);
  planResults(result.getOperands(), outputs, tasks);
  return success();
}

std::pair<int64_t, int64_t> Planner::assignOffsets(bool host) {
  return buffers.assignOffsets(host);
}

LogicalResult Planner::planBlock(Block &block, OpBuilder &tasks) {
  for (Operation &op : llvm::reverse(block))
    if (auto concat = dyn_cast<graph::ConcatOp>(op))
      joinInPlace(concat);
    else if (auto write = dyn_cast<graph::WriteVariableOp>(op))
      assignInPlace(write);
  DenseSet<Operation *> assigning;
  if (exchanges.hasMesh() && &block == &entry.getBody().front())
    for (auto write : block.getOps<graph::WriteVariableOp>()) {
      assigning.insert(write);
      if (plan::TaskOp maker = uses.makerInPlace(write))
        assigning.insert(maker);
    }
  for (Operation &op : block.without_terminator()) {
    if (assigning.contains(&op))
      agreeIfChecked(tasks);
    endExchangesFor(op, tasks);
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      where[constant] =
          buffers.weight(op.getLoc(), constant.getValue(), constant.getType());
    } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      if (!where.contains(reshape.getResult()))
        where[reshape] =
            buffers.view(reshape.getLoc(), where.lookup(reshape.getX()),
                         memrefOf(reshape.getType()));
    } else if (auto slice = dyn_cast<graph::SliceOp>(op);
               slice && startOf(slice)) {
      where[slice] = buffers.view(slice.getLoc(), where.lookup(slice.getX()),
                                  memrefOf(slice.getType()), *startOf(slice));
    } else if (auto concat = dyn_cast<graph::ConcatOp>(op);
               concat && isContiguous(concat)) {
      buffers.touch(where.lookup(concat));
      for (auto [input, part] :
           llvm::zip_equal(concat.getInputs(), partsOf.lookup(concat)))
        if (!graph::unshaped(input).getDefiningOp<graph::EmptyOp>())
          copy(tasks, where.lookup(input), part);
    } else if (auto empty = dyn_cast<graph::EmptyOp>(op)) {
      if (!where.contains(empty.getResult()))
        where[empty] = buffers.create(op.getLoc(), memrefOf(empty.getType()));
    } else if (auto task = dyn_cast<plan::TaskOp>(op)) {
      planTask(task, tasks);
    } else if (auto transfer = dyn_cast<plan::TransferOp>(op)) {
      planTransfer(transfer, tasks);
    } else if (auto check = dyn_cast<graph::CheckOp>(op)) {
      planCheck(check, tasks);
    } else if (auto read = dyn_cast<graph::ReadVariableOp>(op)) {
      Value buffer = bufferOf(read.getVariableAttr(), read);
      if (uses.isView(read))
        where[read] = buffer;
      else
        copy(tasks, buffer, define(op.getLoc(), read));
    } else if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      copy(tasks, where.lookup(write.getValue()),
           bufferOf(write.getVariableAttr(), write.getValue()));
    } else if (auto reduce = dyn_cast<graph::AllReduceOp>(op)) {
      planAllReduce(reduce, tasks);
    } else if (auto scatter = dyn_cast<graph::ReduceScatterOp>(op)) {
      planReduceScatter(scatter, tasks);
    } else if (isa<graph::AllGatherOp, graph::OwnPartOp>(op)) {
      planMove(&op, tasks);
    } else if (auto send = dyn_cast<graph::SendOp>(op)) {
      planSend(send, tasks);
    } else if (auto receive = dyn_cast<graph::RecvOp>(op)) {
      planRecv(receive, tasks);
    } else if (auto agreement = dyn_cast<graph::AgreeOp>(op)) {
      agree(tasks, op.getLoc(), agreement.getKey());
    } else if (auto branch = dyn_cast<graph::IfOp>(op)) {
      if (failed(planIf(branch, tasks)))
        return failure();
    } else if (auto loop = dyn_cast<graph::WhileOp>(op)) {
      if (failed(planWhile(loop, tasks)))
        return failure();
    } else {
      return op.emitError("has no kernel: it stands outside a group");
    }
  }
  return success();
}

void Planner::planTask(plan::TaskOp task, OpBuilder &tasks) {
  letExchangesProgress(task, tasks);
  SmallVector<Value> operands;
  for (Value input : task.getInputs())
    operands.push_back(use(input));
  for (Value output : task.getResults()) {
    takeOver(task, output);
    operands.push_back(define(task.getLoc(), output));
  }
  Operation *kernel = plan::findKernel(task, task.getKernelAttr());
  if (auto scratch = attrs::scratchBytes.of(kernel))
    operands.push_back(create(
        task.getLoc(), MemRefType::get({scratch.getInt()}, tasks.getI8Type()),
        task.getHost()));
  tasks.create<plan::RunOp>(task.getLoc(), task.getKernelAttr(), operands,
                            /*work items=*/IntegerAttr(),
                            /*count=*/FlatSymbolRefAttr(),
                            /*slots=*/tasks.getI64IntegerAttr(0),
                            /*coarse=*/UnitAttr(), task.getTaskGroupAttr(),
                            /*items=*/IntegerAttr(), task.getRowWiseAttr(),
                            task.getHostAttr(),
                            tasks.getI64IntegerAttr(task->getNumResults()));
  if (!task.nextInGroup())
    buffers.advance();
}

void Planner::planTransfer(plan::TransferOp transfer, OpBuilder &tasks) {
  auto weight = transfer.getSource().getDefiningOp<graph::ConstantOp>();
  if (weight && transfer.getHost())
    where[transfer] = buffers.weight(transfer.getLoc(), weight.getValue(),
                                     transfer.getType(), /*host=*/true);
  else
    copy(tasks, use(transfer.getSource()), define(transfer.getLoc(), transfer));
}

void Planner::planCheck(graph::CheckOp check, OpBuilder &tasks) {
  hasUnagreedCheck = true;
  checks.push_back(check.getMessageAttr());
  SmallVector<Value> element;
  for (Value number : check.getElement()) {
    Value buffer = use(number);
    // The runtime finds the numbers in the arena alone.
    if (!Buffers::root(buffer).getDefiningOp<plan::BufferOp>()) {
      Value inArena =
          create(check.getLoc(), cast<MemRefType>(buffer.getType()));
      copy(tasks, buffer, inArena);
      buffer = inArena;
    }
    element.push_back(buffer);
  }
  tasks.create<plan::CheckOp>(check.getLoc(), use(check.getCondition()),
                              checks.size(), element);
  for (Value buffer : element)
    buffers.touch(buffer);
  buffers.advance();
}

void Planner::makeAt(Value value, Value buffer, Block &block) {
  Value made = graph::unshaped(value);
  if (!isa_and_nonnull<plan::TaskOp, plan::TransferOp, graph::ConcatOp,
                       graph::EmptyOp, graph::IfOp>(made.getDefiningOp()) ||
      made.getParentBlock() != &block || where.contains(made))
    return;
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
    where.try_emplace(value, buffer);
    value = reshape.getX();
    buffer = buffers.view(reshape.getLoc(), buffer, memrefOf(value.getType()));
  }
  where[made] = buffer;
}

void Planner::joinInPlace(graph::ConcatOp concat) {
  if (!isContiguous(concat))
    return;
  Value &whole = where[concat];
  if (!whole)
    whole = buffers.create(concat.getLoc(), memrefOf(concat.getType()));
  int64_t start = 0;
  SmallVector<Value> parts;
  bool isReduced =
      llvm::any_of(concat->getUsers(), llvm::IsaPred<graph::AllReduceOp>);
  for (Value input : concat.getInputs()) {
    MemRefType type = memrefOf(input.getType());
    parts.push_back(buffers.view(concat.getLoc(), where[concat], type, start));
    start += type.getNumElements();
    // An all-reduce changes the buffer, so other readers need their own.
    if (!isReduced || isReadOnce(input))
      makeAt(input, parts.back(), *concat->getBlock());
  }
  partsOf[concat] = std::move(parts);
}

Value Planner::bufferOf(FlatSymbolRefAttr variable, Value like) {
  Value &buffer = ofVariable[variable.getAttr()];
  if (!buffer)
    buffer = buffers.state(like.getLoc(), state.offsetOf(variable.getAttr()),
                           like.getType());
  return buffer;
}

void Planner::assignInPlace(graph::WriteVariableOp write) {
  Value value = write.getValue();
  makeInPlace(uses.makerInPlace(write), value,
              bufferOf(write.getVariableAttr(), value), *write->getBlock());
}

void Planner::makeInPlace(plan::TaskOp task, Value value, Value buffer,
                          Block &block) {
  if (!task || where.contains(graph::unshaped(value)))
    return;
  letAlias(kernelOf(task), task);
  makeAt(value, buffer, block);
}

void Planner::takeOver(plan::TaskOp task, Value output) {
  // With several outputs, one may be written before the input of another is
  // read.
  if (task->getNumResults() != 1 || where.contains(output))
    return;
  func::FuncOp kernel = kernelOf(task);
  for (int64_t i : inPlaceOf(kernel)) {
    Value input = graph::unshaped(task.getInputs()[i]);
    auto maker = input.getDefiningOp<plan::TaskOp>();
    if (!maker || maker->getBlock() != task->getBlock())
      continue;
    auto buffer =
        Buffers::root(where.lookup(input)).getDefiningOp<plan::BufferOp>();
    if (!buffer || ownerOf.lookup(buffer) != input ||
        buffer.getHost() != isOnHost(output) || !uses.takesOver(task, input))
      continue;
    letAlias(kernel, task);
    ownerOf[buffer] = output;
    where[output] = where.lookup(task.getInputs()[i]);
    return;
  }
}

Value Planner::use(Value value) {
  Value buffer = where.lookup(value);
  buffers.touch(buffer);
  return buffer;
}

Value Planner::define(Location loc, Value value) {
  Value &buffer = where[value];
  if (!buffer) {
    buffer = buffers.create(loc, memrefOf(value.getType()), isOnHost(value));
    ownerOf[buffer] = value;
  }
  buffers.touch(buffer);
  return buffer;
}

Value Planner::create(Location loc, MemRefType type, bool host) {
  Value buffer = buffers.create(loc, type, host);
  buffers.touch(buffer);
  return buffer;
}

void Planner::copy(OpBuilder &tasks, Value from, Value to) {
  if (from == to)
    return;
  buffers.touch(from);
  buffers.touch(to);
  tasks.create<plan::CopyOp>(from.getLoc(), from, to);
  buffers.advance();
}

} // namespace weir::plan

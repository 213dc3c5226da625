// An entry function becomes a plan: places for its buffers, tasks in order.

#include "passes/plan/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/plan/Arena.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PLANARENA
#include "passes/plan/Passes.h.inc"

namespace {

/// The memref of a tensor's bytes.
MemRefType placeType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(),
                         graph::signless(tensor.getElementType()));
}

/// Bytes of a tensor at a boundary; a truth value takes a byte. Importing has
/// checked that this does not overflow.
int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The block of weights, shared by the entries of the module.
class Weights {
public:
  int64_t place(ElementsAttr value, MemRefType type) {
    auto [entry, isNew] = offsets.try_emplace(value, end);
    if (isNew) {
      OpBuilder b(value.getContext());
      list.push_back(b.getArrayAttr({b.getI64IntegerAttr(end), value}));
      end = llvm::alignTo(end + bytesOf(type), plan::alignment);
    }
    return entry->second;
  }
  int64_t bytes() const { return end; }
  ArrayRef<Attribute> attributes() const { return list; }

private:
  DenseMap<Attribute, int64_t> offsets;
  SmallVector<Attribute> list;
  int64_t end = 0;
};

/// Turns the body of one entry into a plan. Moments are counted task by task,
/// but waves as one; a buffer of the arena lives from its first task to its
/// last.
class Planner {
public:
  Planner(func::FuncOp entry, plan::ProgramOp program, Weights &weights,
          SmallVector<Attribute> &checks)
      : entry(entry), program(program), weights(weights), checks(checks),
        context(entry.getContext()) {}

  LogicalResult run(OpBuilder tasks) {
    Block &body = entry.getBody().front();
    auto result = cast<func::ReturnOp>(body.getTerminator());
    int64_t index = 0;
    for (BlockArgument argument : body.getArguments())
      where[argument] = argumentPlace(index++, argument.getType());
    // A task writes what the entry returns straight to the caller.
    SmallVector<Value> outputs;
    for (Value value : result.getOperands()) {
      outputs.push_back(argumentPlace(index++, value.getType()));
      Value made = value;
      while (auto reshape = made.getDefiningOp<graph::ReshapeOp>())
        made = reshape.getX();
      // Only one output can be where it is written; others are copies.
      if (!isa_and_nonnull<plan::TaskOp>(made.getDefiningOp()) ||
          made.getParentBlock() != &body || where.contains(made))
        continue;
      Value place = outputs.back();
      while (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
        where.try_emplace(value, place);
        value = reshape.getX();
        place = view(reshape.getLoc(), place, placeType(value.getType()));
      }
      where[made] = place;
    }
    if (failed(planBlock(body, tasks)))
      return failure();
    for (auto [value, output] : llvm::zip_equal(result.getOperands(), outputs))
      copy(tasks, where.lookup(value), output);
    return success();
  }

  /// Places the buffers; gives the arena's size and its lower bound.
  std::pair<int64_t, int64_t> place() {
    SmallVector<plan::Lifetime> lifetimes;
    for (plan::BufferOp buffer : buffers)
      lifetimes.push_back({bytesOf(cast<MemRefType>(buffer.getType())),
                           static_cast<int64_t>(buffer.getFirst()),
                           static_cast<int64_t>(buffer.getLast())});
    int64_t total = plan::placeInArena(lifetimes);
    for (auto [buffer, l] : llvm::zip_equal(buffers, lifetimes))
      buffer.setOffset(l.offset);
    return {total, plan::maxLiveBytes(lifetimes)};
  }

private:
  LogicalResult planBlock(Block &block, OpBuilder &tasks) {
    for (Operation &op : block.without_terminator()) {
      if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
        MemRefType type = placeType(constant.getType());
        where[constant] = makePlace<plan::WeightOp>(
            op.getLoc(), type, weights.place(constant.getValue(), type));
      } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
        if (!where.contains(reshape.getResult()))
          where[reshape] = view(reshape.getLoc(), where.lookup(reshape.getX()),
                                placeType(reshape.getType()));
      } else if (auto slice = dyn_cast<graph::SliceOp>(op);
                 slice && startOf(slice)) {
        where[slice] = partOf(slice, *startOf(slice));
      } else if (auto task = dyn_cast<plan::TaskOp>(op)) {
        planTask(task, tasks);
      } else if (auto check = dyn_cast<graph::CheckOp>(op)) {
        checks.push_back(check.getMessageAttr());
        tasks.create<plan::CheckOp>(op.getLoc(), use(check.getCondition()),
                                    checks.size());
        ++moment;
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

  void planTask(plan::TaskOp task, OpBuilder &tasks) {
    SmallVector<Value> operands;
    for (Value input : task.getInputs())
      operands.push_back(use(input));
    for (Value output : task.getResults())
      operands.push_back(define(task.getLoc(), output));
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        task, task.getKernelAttr());
    if (auto scratch = kernel->getAttrOfType<IntegerAttr>("weir.scratch_bytes"))
      operands.push_back(
          buffer(task.getLoc(), MemRefType::get({scratch.getInt()},
                                                IntegerType::get(context, 8))));
    tasks.create<plan::RunOp>(task.getLoc(), task.getKernelAttr(), operands,
                              /*grains=*/IntegerAttr(),
                              /*slots=*/tasks.getI64IntegerAttr(0),
                              /*few=*/UnitAttr(), task.getWaveAttr());
    moment += !task.nextOfWave();
  }

  LogicalResult planIf(graph::IfOp op, OpBuilder &tasks) {
    auto branch = tasks.create<plan::IfOp>(op.getLoc(), use(op.getCondition()));
    SmallVector<Value> results;
    ++moment;
    for (Value result : op.getResults())
      results.push_back(define(op.getLoc(), result));
    for (auto [from, to] :
         {std::make_pair(&op.getThenRegion(), &branch.getThenRegion()),
          std::make_pair(&op.getElseRegion(), &branch.getElseRegion())}) {
      OpBuilder inner = OpBuilder::atBlockEnd(&to->emplaceBlock());
      if (failed(planBlock(from->front(), inner)))
        return failure();
      for (auto [value, result] : llvm::zip_equal(
               from->front().getTerminator()->getOperands(), results))
        copy(inner, place(value), result);
    }
    return success();
  }

  LogicalResult planWhile(graph::WhileOp op, OpBuilder &tasks) {
    int64_t start = moment;
    SmallVector<Value> variables;
    for (auto [init, result] :
         llvm::zip_equal(op.getInits(), op.getResults())) {
      Value variable = define(op.getLoc(), result);
      variables.push_back(variable);
      copy(tasks, place(init), variable);
    }
    auto truth = MemRefType::get({}, IntegerType::get(context, 1));
    Value condition = buffer(op.getLoc(), truth);
    auto loop = tasks.create<plan::WhileOp>(op.getLoc(), condition);
    for (Region *region : {&op.getCondition(), &op.getBody()})
      for (auto [argument, variable] :
           llvm::zip_equal(region->getArguments(), variables))
        where[argument] = variable;

    OpBuilder before = OpBuilder::atBlockEnd(&loop.getBefore().emplaceBlock());
    if (failed(planBlock(op.getCondition().front(), before)))
      return failure();
    copy(before,
         place(op.getCondition().front().getTerminator()->getOperand(0)),
         condition);

    OpBuilder body = OpBuilder::atBlockEnd(&loop.getBody().emplaceBlock());
    if (failed(planBlock(op.getBody().front(), body)))
      return failure();
    // All next values are read before any variable changes.
    SmallVector<Value> next;
    for (auto [value, variable] : llvm::zip_equal(
             op.getBody().front().getTerminator()->getOperands(), variables)) {
      Value from = place(value);
      if (from != variable && llvm::is_contained(variables, root(from))) {
        Value held = buffer(op.getLoc(), cast<MemRefType>(from.getType()));
        copy(body, from, held);
        from = held;
      }
      next.push_back(from);
    }
    for (auto [from, variable] : llvm::zip_equal(next, variables))
      copy(body, from, variable);

    // What lives into the loop is needed in each round.
    for (plan::BufferOp buffer : buffers) {
      bool entersLoop = static_cast<int64_t>(buffer.getFirst()) < start &&
                        static_cast<int64_t>(buffer.getLast()) >= start;
      if (entersLoop || buffer.getResult() == condition ||
          llvm::is_contained(variables, buffer.getResult()))
        buffer.setLast(moment);
    }
    ++moment;
    return success();
  }

  /// The place of a value that is read now.
  Value use(Value value) { return place(value); }

  Value place(Value value) {
    Value place = where.lookup(value);
    touch(place);
    return place;
  }

  /// The place of a value that is written now; a new buffer, if it has none.
  Value define(Location loc, Value value) {
    Value &place = where[value];
    if (!place)
      place = buffer(loc, placeType(value.getType()));
    touch(place);
    return place;
  }

  void copy(OpBuilder &tasks, Value from, Value to) {
    if (from == to)
      return;
    touch(from);
    touch(to);
    tasks.create<plan::CopyOp>(from.getLoc(), from, to);
    ++moment;
  }

  /// Places stand before all tasks, so that they dominate nested ones.
  template <typename Op, typename... Args>
  Op makePlace(Location loc, Args &&...args) {
    OpBuilder b(context);
    if (lastPlace)
      b.setInsertionPointAfter(lastPlace);
    else
      b.setInsertionPointToStart(&program.getBody().front());
    auto op = b.create<Op>(loc, std::forward<Args>(args)...);
    lastPlace = op;
    return op;
  }

  Value buffer(Location loc, MemRefType type) {
    auto buffer = makePlace<plan::BufferOp>(loc, type, 0, moment, moment);
    buffers.push_back(buffer);
    return buffer;
  }

  Value argumentPlace(int64_t index, Type type) {
    return makePlace<plan::ArgumentOp>(entry.getLoc(), placeType(type), index);
  }

  Value view(Location loc, Value source, MemRefType type) {
    if (source.getType() == type)
      return source;
    return makePlace<plan::ViewOp>(loc, type, source, /*offset=*/0);
  }

  static std::optional<int64_t> startOf(graph::SliceOp slice) {
    return graph::contiguousStart(slice.getX().getType().getShape(),
                                  slice.getStarts(), slice.getLimits(),
                                  slice.getStrides());
  }

  /// The elements from `start` on, where the slice's operand lies.
  Value partOf(graph::SliceOp slice, int64_t start) {
    MemRefType type = placeType(slice.getType());
    int64_t each = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return makePlace<plan::ViewOp>(slice.getLoc(), type,
                                   where.lookup(slice.getX()), start * each);
  }

  static Value root(Value place) {
    while (auto view = place.getDefiningOp<plan::ViewOp>())
      place = view.getSource();
    return place;
  }

  void touch(Value place) {
    if (auto buffer = root(place).getDefiningOp<plan::BufferOp>())
      buffer.setLast(std::max<int64_t>(buffer.getLast(), moment));
  }

  func::FuncOp entry;
  plan::ProgramOp program;
  Operation *lastPlace = nullptr;
  Weights &weights;
  SmallVector<Attribute> &checks;
  MLIRContext *context;
  DenseMap<Value, Value> where;
  SmallVector<plan::BufferOp> buffers;
  int64_t moment = 0;
};

struct PlanArena : impl::PlanArenaBase<PlanArena> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(module.getContext());
    Weights weights;
    SmallVector<Attribute> checks, entries;
    int64_t arena = 0, maxLive = 0;
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
      Planner planner(entry, program, weights, checks);
      if (failed(planner.run(tasks)))
        return signalPassFailure();
      auto [bytes, bound] = planner.place();
      arena = std::max(arena, bytes);
      maxLive = std::max(maxLive, bound);
      entries.push_back(describe(entry, name, symbol));
      entry.erase();
    }
    module->setAttr("weir.arena_bytes", b.getI64IntegerAttr(arena));
    module->setAttr("weir.max_live_bytes", b.getI64IntegerAttr(maxLive));
    module->setAttr("weir.weights_bytes", b.getI64IntegerAttr(weights.bytes()));
    module->setAttr("weir.weights", b.getArrayAttr(weights.attributes()));
    module->setAttr("weir.checks", b.getArrayAttr(checks));
    module->setAttr("weir.entries", b.getArrayAttr(entries));
  }

private:
  /// The signature as emission reads it.
  static Attribute describe(func::FuncOp entry, StringAttr name,
                            StringRef symbol) {
    OpBuilder b(entry.getContext());
    auto tensor = [&](DictionaryAttr attributes, Type type) -> Attribute {
      NamedAttrList list;
      for (StringRef key : {"name", "tensor", "shape_of"})
        if (Attribute value = attributes ? attributes.get(("weir." + key).str())
                                         : Attribute())
          list.set(key, value);
      list.set("type", TypeAttr::get(type));
      return list.getDictionary(b.getContext());
    };
    SmallVector<Attribute> inputs, outputs;
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      inputs.push_back(tensor(entry.getArgAttrDict(i), type));
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      outputs.push_back(tensor(entry.getResultAttrDict(i), type));
    return b.getDictionaryAttr(
        {b.getNamedAttr("name", name),
         b.getNamedAttr("symbol", b.getStringAttr(symbol)),
         b.getNamedAttr("inputs", b.getArrayAttr(inputs)),
         b.getNamedAttr("outputs", b.getArrayAttr(outputs))});
  }
};

} // namespace
} // namespace weir

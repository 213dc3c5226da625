// A plan becomes an LLVM function that gives the GPU its work, task by task.

#include "passes/gpu/Passes.h"

#include "dialects/plan/Plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_ISSUELAUNCHES
#include "passes/gpu/Passes.h.inc"

namespace {

/// Tasks of one function: LLVM's back end takes time quadratic in the length of
/// a block.
constexpr unsigned tasksPerFunction = 100;

/// What the simulator keeps in the arena: its state, and for blocks whose
/// threads meet their stacks and shared memory (runtime/sim/sim.c).
constexpr int64_t simulatorState = 64, stackOfThread = 16 << 10,
                  sharedMemory = 48 << 10;

bool isPlace(Operation &op) {
  return isa<plan::ArgumentOp, plan::BufferOp, plan::ViewOp, plan::WeightOp>(
      op);
}

/// The functions of the runtime that issue work.
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

/// Lowers tasks into a function of (arena, weights, tensors, stream) that
/// answers 0, or at once what the runtime answered that is not 0.
class Issuing {
public:
  Issuing(LLVM::LLVMFuncOp function, Runtime runtime,
          const llvm::StringMap<std::pair<int64_t, DenseI64ArrayAttr>> &kernels)
      : b(function.getLoc(), function.getContext()), runtime(runtime),
        kernels(kernels) {
    Block *entry = function.addEntryBlock(b);
    failure = b.createBlock(&function.getBody(), function.getBody().end(),
                            b.getI32Type(), b.getLoc());
    b.create<LLVM::ReturnOp>(failure->getArgument(0));
    b.setInsertionPointToStart(entry);
    arena = function.getArgument(0);
    weights = function.getArgument(1);
    tensors = function.getArgument(2);
    stream = function.getArgument(3);
  }

  void run(ArrayRef<Operation *> tasks) {
    int64_t most = 0;
    bool reads = false;
    for (Operation *task : tasks)
      task->walk([&](Operation *op) {
        if (auto run = dyn_cast<plan::RunOp>(op))
          most = std::max<int64_t>(most, run.getOperands().size());
        reads |= isa<plan::IfOp, plan::WhileOp>(op);
      });
    // The values of a launch's arguments, and where each of them is.
    if (most) {
      values =
          b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
      places =
          b.create<LLVM::AllocaOp>(pointer(), pointer(), number(most, 64), 8);
      for (int64_t i = 0; i < most; ++i)
        b.create<LLVM::StoreOp>(at(values, 8 * i), at(places, 8 * i));
    }
    if (reads)
      truth =
          b.create<LLVM::AllocaOp>(pointer(), b.getI8Type(), number(1, 64), 8);
    for (Operation *task : tasks)
      lower(*task);
    b.create<LLVM::ReturnOp>(number(0));
  }

private:
  void lowerBlock(Block &block) {
    for (Operation &op : block)
      lower(op);
  }

  void lower(Operation &op) {
    b.setLoc(op.getLoc());
    if (auto copy = dyn_cast<plan::CopyOp>(op))
      lowerCopy(copy);
    else if (auto run = dyn_cast<plan::RunOp>(op))
      lowerRun(run);
    else if (auto check = dyn_cast<plan::CheckOp>(op))
      issue("weir_gpu_check",
            {stream, address(check.getCondition()), number(check.getCode())});
    else if (auto branch = dyn_cast<plan::IfOp>(op))
      lowerIf(branch);
    else if (auto loop = dyn_cast<plan::WhileOp>(op))
      lowerWhile(loop);
  }

  /// Calls the runtime and leaves the function if it answers a failure.
  void issue(StringRef name, ValueRange operands) {
    SmallVector<Type> types(operands.getTypes());
    Value answer =
        b.create<LLVM::CallOp>(runtime.get(name, types), operands).getResult();
    Value failed =
        b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, answer, number(0));
    Block *before = b.getInsertionBlock(), *after = newBlock();
    b.setInsertionPointToEnd(before);
    b.create<LLVM::CondBrOp>(failed, failure, ValueRange(answer), after,
                             ValueRange());
    b.setInsertionPointToEnd(after);
  }

  /// The address of a place, computed where it is used.
  Value address(Value place) {
    int64_t offset = 0;
    while (auto view = place.getDefiningOp<plan::ViewOp>()) {
      offset += view.getOffset();
      place = view.getSource();
    }
    if (auto buffer = place.getDefiningOp<plan::BufferOp>())
      return at(arena, buffer.getOffset() + offset);
    if (auto weight = place.getDefiningOp<plan::WeightOp>())
      return at(weights, weight.getOffset() + offset);
    auto argument = place.getDefiningOp<plan::ArgumentOp>();
    Value start =
        b.create<LLVM::LoadOp>(pointer(), at(tensors, 8 * argument.getIndex()));
    return offset ? at(start, offset) : start;
  }

  void lowerCopy(plan::CopyOp copy) {
    auto type = cast<MemRefType>(copy.getSource().getType());
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (bytes)
      issue("weir_gpu_copy", {stream, address(copy.getTarget()),
                              address(copy.getSource()), number(bytes, 64)});
  }

  void lowerRun(plan::RunOp run) {
    auto [kernel, launch] = kernels.lookup(run.getKernel());
    int64_t count = run.getOperands().size();
    for (auto [i, operand] : llvm::enumerate(run.getOperands()))
      b.create<LLVM::StoreOp>(address(operand), at(values, 8 * i));
    Value one = number(1), none = number(0);
    Value list = count ? places : b.create<LLVM::ZeroOp>(pointer()).getResult();
    issue("weir_gpu_launch",
          {stream, number(kernel), number(launch[0]), one, one,
           number(launch[1]), one, one, none, list, number(count)});
  }

  void lowerIf(plan::IfOp branch) {
    Value condition = read(branch.getCondition());
    Block *before = b.getInsertionBlock();
    Block *then = newBlock(), *otherwise = newBlock(), *after = newBlock();
    b.setInsertionPointToEnd(before);
    b.create<LLVM::CondBrOp>(condition, then, otherwise);
    for (auto [block, region] :
         {std::make_pair(then, &branch.getThenRegion()),
          std::make_pair(otherwise, &branch.getElseRegion())}) {
      b.setInsertionPointToEnd(block);
      lowerBlock(region->front());
      b.create<LLVM::BrOp>(after);
    }
    b.setInsertionPointToEnd(after);
  }

  void lowerWhile(plan::WhileOp loop) {
    Block *before = b.getInsertionBlock();
    Block *head = newBlock(), *body = newBlock(), *after = newBlock();
    b.setInsertionPointToEnd(before);
    b.create<LLVM::BrOp>(head);
    b.setInsertionPointToEnd(head);
    lowerBlock(loop.getBefore().front());
    b.create<LLVM::CondBrOp>(read(loop.getCondition()), body, after);
    b.setInsertionPointToEnd(body);
    lowerBlock(loop.getBody().front());
    b.create<LLVM::BrOp>(head);
    b.setInsertionPointToEnd(after);
  }

  /// Waits for a truth value of the device's.
  Value read(Value condition) {
    issue("weir_gpu_read", {stream, truth, address(condition), number(1, 64)});
    Value byte = b.create<LLVM::LoadOp>(b.getI8Type(), truth);
    return b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, byte, number(0, 8));
  }

  Block *newBlock() {
    Region *region = failure->getParent();
    return b.createBlock(region, failure->getIterator());
  }

  Value at(Value base, int64_t offset) {
    return b.create<LLVM::GEPOp>(pointer(), b.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{number(offset, 64)},
                                 /*inbounds=*/true);
  }

  Value number(int64_t value, unsigned width = 32) {
    return b.create<LLVM::ConstantOp>(
        b.getIntegerAttr(b.getIntegerType(width), value));
  }

  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }

  ImplicitLocOpBuilder b;
  Runtime runtime;
  const llvm::StringMap<std::pair<int64_t, DenseI64ArrayAttr>> &kernels;
  Block *failure;
  Value arena, weights, tensors, stream;
  Value values, places, truth;
};

struct IssueLaunches : impl::IssueLaunchesBase<IssueLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(readKernels()))
      return signalPassFailure();
    SmallVector<plan::ProgramOp> programs(module.getOps<plan::ProgramOp>());
    llvm::StringSet<> capturable;
    for (plan::ProgramOp program : programs) {
      std::string name = program.getSymName().str();
      program->setAttr(SymbolTable::getSymbolAttrName(),
                       StringAttr::get(&getContext(), name + ".plan"));
      bool reads = false;
      program.walk(
          [&](Operation *op) { reads |= isa<plan::IfOp, plan::WhileOp>(op); });
      if (!reads)
        capturable.insert(name);
      lower(program, name);
      program.erase();
    }
    markCapturable(capturable);
    if (simulatorAt)
      module->setAttr("weir.arena_bytes",
                      Builder(&getContext())
                          .getI64IntegerAttr(*simulatorAt + simulatorBytes));
  }

private:
  LogicalResult readKernels() {
    ModuleOp module = getOperation();
    auto names = module->getAttrOfType<ArrayAttr>("weir.gpu_kernels");
    auto device = module.lookupSymbol<ModuleOp>("weir_gpu_kernels");
    if (!names || !device)
      return module.emitError("has no kernels for a GPU");
    int64_t mostThreads = 0;
    for (auto [i, fields] : llvm::enumerate(names)) {
      auto row = dyn_cast<DictionaryAttr>(fields);
      auto name = row ? row.getAs<StringAttr>("name") : nullptr;
      if (!name)
        return module.emitError("has a kernel without a name");
      auto kernel = device.lookupSymbol<LLVM::LLVMFuncOp>(name);
      auto launch =
          kernel ? kernel->getAttrOfType<DenseI64ArrayAttr>("weir.launch")
                 : nullptr;
      if (!launch || launch.size() != 2)
        return device.emitError("has no launch of ") << name;
      kernels[name] = {i, launch};
      Builder b(&getContext());
      kernel->setAttr("nvvm.kernel", b.getUnitAttr());
      kernel->setAttr("nvvm.reqntid",
                      b.getDenseI32ArrayAttr({int32_t(launch[1]), 1, 1}));
      kernel.walk([&](Operation *op) {
        if (isa<NVVM::Barrier0Op, NVVM::ShflOp>(op))
          mostThreads = std::max(mostThreads, launch[1]);
      });
    }
    auto gpu = module->getAttrOfType<DictionaryAttr>("weir.gpu");
    auto kind = gpu ? gpu.getAs<StringAttr>("kind") : nullptr;
    if (!kind || kind.getValue() != "sim")
      return success();
    auto arena = module->getAttrOfType<IntegerAttr>("weir.arena_bytes");
    simulatorAt = llvm::alignTo(arena ? arena.getInt() : 0, 64);
    simulatorBytes = simulatorState;
    if (mostThreads)
      simulatorBytes += sharedMemory + mostThreads * stackOfThread;
    return success();
  }

  void markCapturable(const llvm::StringSet<> &capturable) {
    auto entries = getOperation()->getAttrOfType<ArrayAttr>("weir.entries");
    if (!entries)
      return;
    Builder b(&getContext());
    SmallVector<Attribute> marked;
    for (Attribute entry : entries) {
      NamedAttrList fields(cast<DictionaryAttr>(entry));
      auto symbol = dyn_cast_or_null<StringAttr>(fields.get("symbol"));
      if (symbol && capturable.contains(symbol.getValue()))
        fields.set("capturable", b.getUnitAttr());
      marked.push_back(fields.getDictionary(&getContext()));
    }
    getOperation()->setAttr("weir.entries", b.getArrayAttr(marked));
  }

  /// The entry calls one function after the other, each with some of the tasks.
  void lower(plan::ProgramOp program, const std::string &name) {
    SmallVector<Operation *> tasks;
    for (Operation &op : program.getBody().front())
      if (!isPlace(op))
        tasks.push_back(&op);
    ImplicitLocOpBuilder b(program.getLoc(), program);
    Runtime runtime = {getOperation()};
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(),
                                            SmallVector<Type>(4, pointer));
    auto entry = b.create<LLVM::LLVMFuncOp>(name, type);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry.addEntryBlock(b));
    SmallVector<Value> operands(entry.getArguments());
    auto zero = [&] {
      return b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(0)).getResult();
    };
    // The simulator has its state at the end of the arena.
    if (simulatorAt) {
      Value offset =
          b.create<LLVM::ConstantOp>(b.getI64IntegerAttr(*simulatorAt));
      operands[3] = b.create<LLVM::GEPOp>(pointer, b.getI8Type(), operands[0],
                                          ArrayRef<LLVM::GEPArg>{offset});
      b.create<LLVM::CallOp>(runtime.get("weir_sim_begin", pointer),
                             operands[3]);
    }
    Value answer = zero();
    Block *end = b.createBlock(&entry.getBody(), entry.getBody().end(),
                               b.getI32Type(), b.getLoc());
    b.setInsertionPointToEnd(&entry.getBody().front());
    ArrayRef<Operation *> rest = tasks;
    for (unsigned part = 0; !rest.empty(); ++part) {
      size_t count = std::min<size_t>(rest.size(), tasksPerFunction);
      OpBuilder outside(program);
      auto function = outside.create<LLVM::LLVMFuncOp>(
          rest.front()->getLoc(), name + "_part_" + std::to_string(part), type,
          LLVM::Linkage::Private);
      // Called once, it would be inlined, and the block be long again.
      function.setPassthroughAttr(b.getArrayAttr(b.getStringAttr("noinline")));
      Issuing(function, runtime, kernels).run(rest.take_front(count));
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

  llvm::StringMap<std::pair<int64_t, DenseI64ArrayAttr>> kernels;
  std::optional<int64_t> simulatorAt;
  int64_t simulatorBytes = 0;
};

} // namespace
} // namespace weir

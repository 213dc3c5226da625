// Ends a run at a kernel that reads or writes outside of its buffers.

#include "passes/cpu/Passes.h"

#include "passes/cpu/bounds/AccessChecks.h"

#include "dialects/plan/Arena.h"
#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "passes/cpu/Passes.h.inc"

namespace {

/// The name of the first node of a run, or nothing.
StringRef nodeOf(plan::RunOp run) {
  StringRef node;
  run.getLoc()->walk([&](Location at) {
    auto name = dyn_cast<NameLoc>(at);
    if (!name)
      return WalkResult::advance();
    node = name.getName();
    return WalkResult::interrupt();
  });
  return node;
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The buffers of a plan are in their blocks of memory, and views in their
/// buffers.
LogicalResult verifyBuffers(ModuleOp module) {
  auto bytesOf = [&](const StageAttribute<kinds::Size> &attribute) -> int64_t {
    IntegerAttr bytes = attribute.of(module);
    return bytes ? bytes.getInt() : 0;
  };
  int64_t arena = bytesOf(attrs::arenaBytes);
  int64_t weights = bytesOf(attrs::weightsBytes);
  int64_t state = bytesOf(attrs::stateBytes);
  WalkResult walk = module.walk([&](Operation *op) {
    int64_t offset, block;
    StringRef what;
    if (auto buffer = dyn_cast<plan::BufferOp>(op))
      offset = buffer.getOffset(), block = arena, what = "the arena";
    else if (auto weight = dyn_cast<plan::WeightOp>(op)) {
      offset = weight.getOffset(), block = weights, what = "the weights";
      if (int64_t region = weight.getRegion())
        block =
            cast<WeightRegionAttr>(attrs::weightRegions.of(module)[region - 1])
                .getStride();
    } else if (auto variable = dyn_cast<plan::StateOp>(op))
      offset = variable.getOffset(), block = state, what = "the state";
    else if (auto view = dyn_cast<plan::ViewOp>(op)) {
      offset = view.getOffset();
      block = plan::bytesOf(cast<MemRefType>(view.getSource().getType()));
      what = "its buffer";
    } else
      return WalkResult::advance();
    auto type = cast<MemRefType>(op->getResult(0).getType());
    int64_t bytes = plan::bytesOf(type), end;
    if (offset >= 0 && !llvm::AddOverflow(offset, bytes, end) && end <= block)
      return WalkResult::advance();
    op->emitError("the ") << bytes << " bytes at byte " << offset
                          << " are not in " << what << ", which has " << block;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// What a message calls a buffer of a program.
std::string describeBuffer(Value buffer, EntryAttr entry) {
  Operation *op = buffer.getDefiningOp();
  while (auto view = dyn_cast_or_null<plan::ViewOp>(op))
    op = view.getSource().getDefiningOp();
  if (auto argument = dyn_cast_or_null<plan::ArgumentOp>(op)) {
    size_t number = argument.getIndex();
    size_t inputs = entry ? entry.getInputs().size() : 0;
    bool isInput = number < inputs;
    if (entry && number - (isInput ? 0 : inputs) <
                     (isInput ? inputs : entry.getOutputs().size())) {
      auto tensor =
          cast<TensorAttr>(isInput ? entry.getInputs()[number]
                                   : entry.getOutputs()[number - inputs]);
      return (Twine("the ") + (isInput ? "input" : "output") + " '" +
              tensor.getName() + "'")
          .str();
    }
    return "argument " + std::to_string(number);
  }
  if (auto weight = dyn_cast_or_null<plan::WeightOp>(op))
    return "the weights at byte " + std::to_string(weight.getOffset());
  if (auto variable = dyn_cast_or_null<plan::StateOp>(op))
    return "the variable at byte " + std::to_string(variable.getOffset());
  if (auto inArena = dyn_cast_or_null<plan::BufferOp>(op))
    return "the buffer at byte " + std::to_string(inArena.getOffset()) +
           " of the arena";
  return "a buffer";
}

struct CheckBounds : impl::CheckBoundsBase<CheckBounds> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!attrs::checksBounds.isOn(module))
      return;
    if (failed(verifyBuffers(module)))
      return signalPassFailure();
    if (auto list = attrs::checks.of(module))
      llvm::append_range(messages, list);
    if (auto list = attrs::checkElements.of(module))
      places.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    places.resize(2 * messages.size());
    IntegerAttr bytes = attrs::arenaBytes.of(module);
    recordsOffset = static_cast<int64_t>(llvm::alignTo(
        static_cast<uint64_t>(bytes ? bytes.getInt() : 0), plan::alignment));
    int64_t records = largestGroup(module);
    if (records == 0)
      return;
    recordsType =
        MemRefType::get({3 * records}, IntegerType::get(&getContext(), 64));
    recorder = buildRecorder(module);
    clear = buildClear(module);
    for (auto program : module.getOps<plan::ProgramOp>())
      addRecords(program);
    attrs::arenaBytes.set(module, recordsOffset + plan::bytesOf(recordsType));
    attrs::checks.set(module, ArrayAttr::get(&getContext(), messages));
    attrs::checkElements.set(module, ArrayRef(places));
  }

private:
  /// A run whose record is checked after its group.
  struct Pending {
    plan::RunOp run;
    Value record;
    int64_t code;
  };

  /// The largest number of runs in a group: each of them has its own record.
  static int64_t largestGroup(ModuleOp module) {
    int64_t most = 0;
    module.walk([&](plan::RunOp run) {
      int64_t count = 1;
      for (plan::RunOp next = run; (next = next.nextInGroup());)
        ++count;
      most = std::max(most, count);
    });
    return most;
  }

  void addRecords(plan::ProgramOp program) {
    SmallVector<plan::RunOp> runs;
    program.walk([&](plan::RunOp run) { runs.push_back(run); });
    EntryAttr entry = entryOf(program);
    Block &body = program.getBody().front();
    ImplicitLocOpBuilder b(program.getLoc(), &body, body.begin());
    auto last = static_cast<int64_t>(plan::tasksOf(program).size());
    Value records =
        b.create<plan::BufferOp>(recordsType, recordsOffset, 0, last);
    SmallVector<Value> views;
    for (int64_t i = 0; i < recordsType.getDimSize(0) / 3; ++i)
      views.push_back(b.create<plan::ViewOp>(recordType(&getContext()), records,
                                             recordBytes * i));
    // A run may have failed before, and left its record.
    NamedAttribute kernel = b.getNamedAttr(
        "kernel", FlatSymbolRefAttr::get(clear.getSymNameAttr()));
    b.create<plan::RunOp>(TypeRange(), ValueRange(records), kernel);
    SmallVector<Pending> pending;
    int64_t number = 0; // in the group
    for (plan::RunOp run : runs) {
      auto kernel = dyn_cast_or_null<func::FuncOp>(
          plan::findKernel(run, run.getKernelAttr()));
      if (kernel && !kernel.isExternal())
        addRun(run, kernel, views[number], number, entry, pending);
      ++number;
      if (run.nextInGroup())
        continue;
      // Runs of a group stay together.
      OpBuilder after(run.getContext());
      after.setInsertionPointAfter(run);
      for (Pending &each : pending)
        after.create<plan::CheckAccessesOp>(each.run.getLoc(), each.record,
                                            each.code);
      pending.clear();
      number = 0;
    }
  }

  /// Gives the kernel a record as its first operand, so that outputs and
  /// scratch memory stay the last ones.
  void addRun(plan::RunOp run, func::FuncOp kernel, Value record,
              int64_t number, EntryAttr entry,
              SmallVectorImpl<Pending> &pending) {
    auto [found, isNew] = sitesOf.try_emplace(kernel.getSymNameAttr());
    if (isNew) {
      found->second = guardAccesses(kernel, addArgument(kernel), recorder);
      if (WorkAttr work = attrs::work.of(kernel))
        attrs::work.set(kernel,
                        WorkAttr::get(&getContext(), work.getInputs() + 1,
                                      work.getMultiplyAdds()));
    }
    if (FlatSymbolRefAttr count = run.getCountAttr())
      if (counts.insert(count.getAttr()).second)
        addArgument(cast<func::FuncOp>(plan::findKernel(run, count)));
    if (!found->second.empty())
      pending.push_back(
          {run, record, static_cast<int64_t>(messages.size()) + 1});
    for (const AccessSite &site : found->second) {
      addMessage(run, kernel, site, entry);
      // The index in the record.
      places.append({1 + recordsOffset + recordBytes * number + 8, 0});
    }
    run.getOperandsMutable().slice(0, 0).append(record);
  }

  BlockArgument addArgument(func::FuncOp function) {
    function.insertArgument(0, recordType(&getContext()), {},
                            function.getLoc());
    return function.getArgument(0);
  }

  /// A function that sets all records to 0.
  func::FuncOp buildClear(ModuleOp module) {
    ImplicitLocOpBuilder b(module.getLoc(), &getContext());
    b.setInsertionPointToEnd(module.getBody());
    auto function = b.create<func::FuncOp>(
        "weir_clear_records", b.getFunctionType({recordsType}, {}));
    function.setPrivate();
    b.setInsertionPointToStart(function.addEntryBlock());
    Value zero = b.create<arith::ConstantIntOp>(0, 64);
    Value low = b.create<arith::ConstantIndexOp>(0);
    Value high = b.create<arith::ConstantIndexOp>(recordsType.getDimSize(0));
    Value step = b.create<arith::ConstantIndexOp>(1);
    auto loop = b.create<scf::ForOp>(low, high, step);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      b.create<memref::StoreOp>(zero, function.getArgument(0),
                                loop.getInductionVar());
    }
    b.create<func::ReturnOp>();
    return function;
  }

  void addMessage(plan::RunOp run, func::FuncOp function,
                  const AccessSite &site, EntryAttr entry) {
    std::string node;
    llvm::raw_string_ostream os(node);
    llvm::printEscapedString(nodeOf(run), os);
    std::string kernel = run.getKernel().str();
    // The run has no record yet.
    int64_t operand = site.argument - 1;
    auto end = static_cast<int64_t>(run.getOperands().size()) -
               (attrs::scratchBytes.isOn(function) ? 1 : 0);
    std::string buffer = operand >= 0 && operand < end
                             ? describeBuffer(run.getOperands()[operand], entry)
                             : "its scratch memory";
    std::string what = site.dim < 0 ? "it has no element"
                                    : "dimension " + std::to_string(site.dim) +
                                          " has no index";
    messages.push_back(StringAttr::get(
        &getContext(),
        (node.empty() ? kernel : "node '" + node + "' (" + kernel + ")") +
            (site.isStore ? ": writes outside of " : ": reads outside of ") +
            buffer + ", " + textOf(site.type) + ": " + what));
  }

  EntryAttr entryOf(plan::ProgramOp program) {
    if (auto entries = attrs::entries.of(getOperation()))
      for (auto entry : entries.getAsRange<EntryAttr>())
        if (entry.getSymbol() == program.getSymName())
          return entry;
    return {};
  }

  static constexpr int64_t recordBytes = 24;

  func::FuncOp recorder, clear;
  MemRefType recordsType;
  int64_t recordsOffset = 0;
  SmallVector<Attribute> messages;
  SmallVector<int64_t> places;
  llvm::DenseMap<StringAttr, SmallVector<AccessSite>> sitesOf;
  llvm::DenseSet<StringAttr> counts;
};

} // namespace
} // namespace weir::cpu

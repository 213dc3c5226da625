// Collects the tasks that a profiled library counts, with their kernels, nodes,
// bytes and multiply-adds.

#include "passes/entry/TaskTable.h"

#include "dialects/plan/Phases.h"
#include "dialects/plan/Tasks.h"
#include "dialects/plan/Work.h"
#include "dialects/weir/Attributes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir::entry {

void declareRuntime(ModuleOp module, StringRef name, ArrayRef<Type> parameters,
                    Type result) {
  if (module.lookupSymbol(name))
    return;
  auto b = OpBuilder::atBlockEnd(module.getBody());
  if (!result)
    result = LLVM::LLVMVoidType::get(b.getContext());
  b.create<LLVM::LLVMFuncOp>(module.getLoc(), name,
                             LLVM::LLVMFunctionType::get(result, parameters));
}

namespace {

/// The name of the node inside all calls, or null.
StringAttr nodeOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nodeOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().empty() ? nullptr
                                        : nodeOf(fused.getLocations().front());
  auto name = dyn_cast<NameLoc>(location);
  return name && !name.getName().empty() ? name.getName() : StringAttr();
}

/// What a task adds up to.
struct Sums {
  llvm::SmallSetVector<StringRef, 4> kernels;
  llvm::SmallSetVector<Attribute, 8> nodes;
  plan::Work work;
  std::optional<int64_t> phase; // the least

  void addNodes(Location location) {
    auto fused = dyn_cast<FusedLoc>(location);
    for (Location each :
         fused ? fused.getLocations() : ArrayRef<Location>(location))
      if (StringAttr node = nodeOf(each))
        nodes.insert(node);
  }

  void add(plan::RunOp run) {
    addNodes(run.getLoc());
    Operation *kernel = plan::findKernel(run, run.getKernelAttr());
    IntegerAttr number = kernel ? attrs::phase.of(kernel) : IntegerAttr();
    int64_t own = number ? number.getInt() : 0;
    kernels.insert(run.getKernel());
    phase = std::min(phase.value_or(own), own);
    // The first part of a kernel stands for all.
    if (own == 0)
      work.add(plan::workOf(run));
  }

  ProfileTaskAttr task(MLIRContext *context, int64_t entry) const {
    return ProfileTaskAttr::get(
        context, entry, llvm::join(kernels.getArrayRef(), " + "),
        ArrayAttr::get(context, nodes.getArrayRef()), phase.value_or(0),
        work.read, work.written, work.multiplyAdds);
  }
};

} // namespace

TaskTable::TaskTable(ModuleOp module)
    : module(module), on(attrs::profile.isOn(module)) {}

void TaskTable::enter(StringRef symbol) {
  entry = 0;
  auto entries = attrs::entries.of(module);
  if (!entries)
    return;
  for (auto [i, each] : llvm::enumerate(entries.getAsRange<EntryAttr>()))
    if (each.getSymbol() == symbol)
      entry = static_cast<int64_t>(i);
}

std::optional<int64_t> TaskTable::add(plan::RunOp run, bool isGroup) {
  SmallVector<plan::RunOp> runs;
  for (; run && on; run = isGroup ? run.nextInGroup() : plan::RunOp())
    runs.push_back(run);
  return add(runs);
}

std::optional<int64_t> TaskTable::add(ArrayRef<plan::RunOp> runs) {
  if (!on)
    return std::nullopt;
  Sums sums;
  for (plan::RunOp run : runs)
    sums.add(run);
  tasks.push_back(sums.task(module.getContext(), entry));
  return tasks.size() - 1;
}

std::optional<int64_t> TaskTable::add(plan::CopyOp copy) {
  if (!on)
    return std::nullopt;
  Sums sums;
  sums.addNodes(copy.getLoc());
  sums.kernels.insert("copy");
  sums.work = plan::workOf(copy);
  tasks.push_back(sums.task(module.getContext(), entry));
  return tasks.size() - 1;
}

void TaskTable::call(ImplicitLocOpBuilder &b, StringRef name,
                     ValueRange operands) const {
  declareRuntime(module, name, llvm::to_vector(operands.getTypes()));
  b.create<LLVM::CallOp>(TypeRange(), name, operands);
}

void TaskTable::endTask(ImplicitLocOpBuilder &b, Value team,
                        std::optional<int64_t> task) const {
  if (!task)
    return;
  Value number = b.create<LLVM::ConstantOp>(
      b.getI32IntegerAttr(static_cast<int32_t>(*task)));
  call(b, "weir_profile_task_end", {team, number});
}

void TaskTable::endChunk(ImplicitLocOpBuilder &b, Value team, Value slot,
                         int64_t task) const {
  Value number = b.create<LLVM::ConstantOp>(
      b.getI32IntegerAttr(static_cast<int32_t>(task)));
  call(b, "weir_profile_chunk_end", {team, slot, number});
}

void TaskTable::beginRun(ImplicitLocOpBuilder &b, Value team) const {
  if (on)
    call(b, "weir_profile_begin", team);
}

void TaskTable::endRun(ImplicitLocOpBuilder &b, Value team) const {
  if (!on)
    return;
  Value function = b.create<LLVM::ConstantOp>(
      b.getI32IntegerAttr(static_cast<int32_t>(entry)));
  call(b, "weir_profile_end", {team, function});
}

void TaskTable::write() const {
  if (on)
    attrs::profileTasks.set(module, ArrayRef(tasks));
}

} // namespace weir::entry

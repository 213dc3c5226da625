// Collects the tasks that a profiled library counts, with their kernels, nodes,
// bytes and multiply-adds.

#include "passes/entry/TaskTable.h"

#include "dialects/plan/Phases.h"
#include "dialects/plan/Tasks.h"
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

/// The sum, or the largest number.
int64_t sumOf(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

/// The product, or the largest number.
int64_t productOf(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product))
      return INT64_MAX;
  return product;
}

/// The row of a table of what libraries compute.
template <typename Record>
Record rowOf(ArrayAttr table, int64_t number) {
  bool isThere = table && number < static_cast<int64_t>(table.size());
  return isThere ? cast<Record>(table[static_cast<unsigned>(number)])
                 : Record();
}

/// The multiply-adds of a call of a library, by the definition of its
/// operation.
int64_t multiplyAddsOf(ModuleOp module, LibraryCallAttr call) {
  int64_t number = call.getNumber();
  if (call.getFunction() == "weir_gpu_multiply")
    if (auto row = rowOf<GemmAttr>(attrs::gpuGemms.of(module), number))
      return productOf({row.getBatch(), row.getM(), row.getN(), row.getK()});
  if (call.getFunction() == "weir_gpu_attend")
    if (auto row =
            rowOf<AttentionAttr>(attrs::gpuAttentions.of(module), number))
      return productOf({row.getBatch(), row.getHeads(), row.getRows(),
                        row.getColumns(),
                        sumOf(row.getDepth(), row.getWidth())});
  if (call.getFunction() == "weir_gpu_convolve")
    if (auto row = rowOf<ConvAttr>(attrs::gpuConvs.of(module), number))
      return productOf({row.getImages(), row.getOutputs(),
                        row.getInputs() / row.getGroups(), row.getWindow()[0],
                        row.getWindow()[1], row.resultSize(0),
                        row.resultSize(1)});
  return 0;
}

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
  int64_t read = 0, written = 0, multiplyAdds = 0;
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
      addWork(run, kernel);
  }

  ProfileTaskAttr task(MLIRContext *context, int64_t entry) const {
    return ProfileTaskAttr::get(context, entry,
                                llvm::join(kernels.getArrayRef(), " + "),
                                ArrayAttr::get(context, nodes.getArrayRef()),
                                phase.value_or(0), read, written, multiplyAdds);
  }

private:
  void addWork(plan::RunOp run, Operation *kernel) {
    OperandRange operands = run.getOperands();
    if (kernel && attrs::scratchBytes.isOn(kernel))
      operands = operands.drop_back();
    WorkAttr work = kernel ? attrs::work.of(kernel) : WorkAttr();
    // A kernel without a record, such as a pack, writes its last operand.
    auto inputs = static_cast<int64_t>(operands.size()) - 1;
    if (work) {
      inputs = std::min(work.getInputs(), inputs);
      multiplyAdds = sumOf(multiplyAdds, work.getMultiplyAdds());
    }
    if (LibraryCallAttr call = attrs::libraryCall.of(run))
      multiplyAdds = sumOf(
          multiplyAdds, multiplyAddsOf(run->getParentOfType<ModuleOp>(), call));
    for (auto [i, operand] : llvm::enumerate(operands)) {
      int64_t &sum = static_cast<int64_t>(i) < inputs ? read : written;
      sum = sumOf(sum, plan::bytesOf(cast<MemRefType>(operand.getType())));
    }
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
  sums.read = sums.written = plan::bytesOf(copy);
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

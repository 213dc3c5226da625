// From the options to the attributes of the module.

#include "compiler/Attributes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weir {

/// The attribute of `--mesh`.
static MeshAttr meshOf(MLIRContext *context,
                       ArrayRef<std::pair<std::string, int64_t>> mesh) {
  SmallVector<Attribute> axes;
  SmallVector<int64_t> sizes;
  for (const auto &[axis, size] : mesh) {
    axes.push_back(StringAttr::get(context, axis));
    sizes.push_back(size);
  }
  return MeshAttr::get(context, ArrayAttr::get(context, axes),
                       DenseI64ArrayAttr::get(context, sizes));
}

llvm::Error describeMachine(MLIRContext *context, const Options &options,
                            DictionaryAttr &attributes) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  TargetOptions target = options.target;
  if (!options.isaVariants.empty()) {
    target.cpu = options.isaVariants.back().cpu;
    target.features = options.isaVariants.back().features;
  }
  if (llvm::Error error = writeTarget(*module, target))
    return error;
  if (options.gpu.isOn())
    if (llvm::Error error = writeGpu(*module, options.gpu))
      return error;
  if (!options.mesh.empty()) {
    auto mesh = options.mesh;
    // Until weir-join-micro-batches the program is that of one micro-batch.
    if (options.microBatches)
      mesh.front().second = options.microBatches;
    attrs::mesh.set(*module, meshOf(context, mesh));
  }
  attributes = module.get()->getAttrDictionary();
  return llvm::Error::success();
}

namespace {

/// Bytes of the module's constants and initial values, equal ones once.
int64_t countWeights(ModuleOp module) {
  llvm::DenseSet<Attribute> counted;
  int64_t bytes = 0;
  auto count = [&](ElementsAttr value) {
    ShapedType type = value ? value.getShapedType() : ShapedType();
    // Kernels read one element of a splat.
    if (value && !value.isSplat() && counted.insert(value).second)
      bytes += int64_t(llvm::divideCeil(
          uint64_t(type.getNumElements()) * type.getElementTypeBitWidth(), 8));
  };
  module.walk([&](graph::ConstantOp op) { count(op.getValue()); });
  module.walk([&](graph::VariableOp op) {
    count(dyn_cast_or_null<ElementsAttr>(op.getInitialAttr()));
  });
  return bytes;
}

/// Writes the module attribute `weir.weights_budget`, in bytes. The attribute
/// of IR stays unless the option is given: weights change their types in later
/// stages.
void writeWeightsBudget(ModuleOp module, const Options &options) {
  if (!options.weightsBudget || options.gpu.isOn()) {
    attrs::weightsBudget.remove(module);
    attrs::limitsLayouts.remove(module);
    return;
  }
  if (attrs::weightsBudget.isOn(module) && !options.hasWeightsBudget)
    return;
  // Code counts as part of the product. Small weights are not worth a budget.
  constexpr double code = 512 << 10, minRoom = 128 << 10;
  auto weights = double(countWeights(module));
  double budget =
      std::max(weights * *options.weightsBudget - code, weights + minRoom);
  attrs::weightsBudget.set(module, int64_t(budget));
  // The default does not count second layouts and those for tile registers.
  // They are for speed, and a library for a range of sizes has the bits of one
  // for a size.
  if (options.hasWeightsBudget)
    attrs::limitsLayouts.set(module);
}

/// The attribute of `--cluster`.
ClusterAttr clusterOf(MLIRContext *context, const Cluster &cluster) {
  SmallVector<Attribute> jobs;
  SmallVector<int64_t> sizes;
  for (const ClusterJob &job : cluster) {
    jobs.push_back(StringAttr::get(context, job.name));
    sizes.push_back(static_cast<int64_t>(job.tasks.size()));
  }
  return ClusterAttr::get(context, ArrayAttr::get(context, jobs),
                          DenseI64ArrayAttr::get(context, sizes),
                          /*replicas=*/"", /*role=*/"", /*fingerprint=*/0);
}

} // namespace

void writeOptions(ModuleOp module, const Options &options) {
  attrs::threads.set(module, options.threads.count);
  attrs::slots.set(module, options.threads.slots);

  auto say = [&](const StageAttribute<kinds::Text> &attribute, StringRef value,
                 StringRef usual) {
    if (value != usual)
      attribute.set(module, value);
    else
      attribute.remove(module);
  };
  say(attrs::precision, options.precision, "f32");
  say(attrs::fastMath, options.fastMath, "");
  say(attrs::reshard, options.reshard, "");
  say(attrs::shardState, options.shardState, "");
  say(attrs::parallelLayers, options.parallel, "");
  if (options.microBatches)
    attrs::microBatches.set(module,
                            options.microBatches / options.mesh.front().second);
  if (options.bucketBytes)
    attrs::bucketBytes.set(module, *options.bucketBytes);
  if (!options.cluster.empty())
    attrs::cluster.set(module, clusterOf(module.getContext(), options.cluster));
  if (options.profile)
    attrs::profile.set(module);
  else
    attrs::profile.remove(module);
  if (options.checksBounds)
    attrs::checksBounds.set(module);
  else
    attrs::checksBounds.remove(module);
  writeWeightsBudget(module, options);
  if (options.schedules)
    module->setAttr(kernel::overridesName, options.schedules);
}

} // namespace weir

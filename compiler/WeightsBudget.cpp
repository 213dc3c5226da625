// How many bytes of weights a product may have.

#include "compiler/WeightsBudget.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"

using namespace mlir;

namespace weir {

/// Bytes of the module's constants and initial values, equal ones once.
static int64_t countWeights(ModuleOp module) {
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

void writeWeightsBudget(ModuleOp module, const Options &options) {
  constexpr StringLiteral name = "weir.weights_budget";
  if (!options.weightsBudget || options.gpu.isOn()) {
    module->removeAttr(name);
    return;
  }
  if (module->hasAttr(name))
    return;
  // Code counts as part of the product. Small weights are not worth a budget.
  constexpr double code = 512 << 10, leastRoom = 128 << 10;
  auto weights = double(countWeights(module));
  double budget =
      std::max(weights * *options.weightsBudget - code, weights + leastRoom);
  module->setAttr(
      name, Builder(module.getContext()).getI64IntegerAttr(int64_t(budget)));
}

} // namespace weir

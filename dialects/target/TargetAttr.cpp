// Reads the target's dictionary off a module.

#include "dialects/target/TargetAttr.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

static void read(DictionaryAttr target, StringRef key, StringRef &value) {
  if (auto text = target.getAs<StringAttr>(key))
    value = text.getValue();
}

static void read(DictionaryAttr target, StringRef key, bool &value) {
  if (auto flag = target.getAs<BoolAttr>(key))
    value = flag.getValue();
}

static void read(DictionaryAttr target, StringRef key, int64_t least,
                 int64_t most, int64_t &value) {
  if (auto number = target.getAs<IntegerAttr>(key))
    if (number.getType().getIntOrFloatBitWidth() <= 64 &&
        number.getInt() >= least && number.getInt() <= most)
      value = number.getInt();
}

TargetAttr TargetAttr::get(Operation *op) {
  TargetAttr result;
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  while (module && !attrs::target.isOn(module)) {
    auto outer = module->getParentOfType<ModuleOp>();
    if (!outer)
      break;
    module = outer;
  }
  if (!module)
    return result;
  auto target = attrs::target.of(module);
  if (!target)
    return result;
  result.gpu = attrs::gpu.isOn(module);
  read(target, "triple", result.triple);
  read(target, "cpu", result.cpu);
  read(target, "features", result.features);
  read(target, "vector_bits", 64, 2048, result.vectorBits);
  result.panelBits = result.vectorBits;
  read(target, "panel_bits", result.vectorBits, 2048, result.panelBits);
  result.sharesPanels = target.contains("panel_bits");
  result.registers = result.vectorBits >= 512 || result.isArm() ? 32 : 16;
  read(target, "vector_registers", 8, 64, result.registers);
  read(target, "l1", 4 << 10, 1 << 24, result.l1);
  read(target, "l2", 32 << 10, 1 << 28, result.l2);
  read(target, "fma_rate", 1, 4, result.fmaRate);
  read(target, "fma", result.fma);
  read(target, "adds_beside", result.addsBeside);
  return result;
}

bool TargetAttr::has(StringRef feature) const {
  SmallVector<StringRef> all;
  features.split(all, ',');
  return llvm::any_of(all, [&](StringRef one) {
    return one.consume_front("+") && one == feature;
  });
}

} // namespace weir

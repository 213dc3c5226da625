// From the options to the attributes of the module.

#include "compiler/Attributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weir {

llvm::Error describeMachine(MLIRContext *context, const Options &options,
                            DictionaryAttr &attributes) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  TargetOptions target = options.target;
  if (!options.levels.empty()) {
    target.cpu = options.levels.back().cpu;
    target.features = options.levels.back().features;
  }
  if (llvm::Error error = writeTarget(*module, target))
    return error;
  if (options.gpu.isOn())
    if (llvm::Error error = writeGpu(*module, options.gpu))
      return error;
  attributes = module.get()->getAttrDictionary();
  return llvm::Error::success();
}

void writeOptions(ModuleOp module, const Options &options) {
  Builder b(module.getContext());
  module->setAttr("weir.threads", b.getI64IntegerAttr(options.threads.count));
  module->setAttr("weir.slots", b.getI64IntegerAttr(options.threads.slots));

  auto say = [&](StringRef name, StringRef value, StringRef usual) {
    if (value != usual)
      module->setAttr(name, b.getStringAttr(value));
    else
      module->removeAttr(name);
  };
  say("weir.precision", options.precision, "f32");
  say("weir.fast_math", options.fastMath, "");
}

} // namespace weir

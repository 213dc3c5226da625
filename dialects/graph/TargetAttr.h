// The processor that code is made for, as passes read it off the module.
#ifndef WEIR_DIALECTS_GRAPH_TARGETATTR_H
#define WEIR_DIALECTS_GRAPH_TARGETATTR_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// `weir.target` of the module, written once by compiler/target. Without it, a
/// plain x86-64: so a test of a pass need not spell one.
struct TargetAttr {
  llvm::StringRef triple = "x86_64-unknown-linux-gnu";
  llvm::StringRef cpu = "x86-64";
  llvm::StringRef features = "";
  int64_t vectorBits = 128; // of the widest registers worth using
  int64_t l1 = 32 << 10;    // bytes of the data caches of one core
  int64_t l2 = 1 << 20;
  bool fma = false;

  static TargetAttr get(mlir::Operation *op) {
    TargetAttr target;
    auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<mlir::ModuleOp>();
    auto attr = module
                    ? module->getAttrOfType<mlir::DictionaryAttr>("weir.target")
                    : nullptr;
    if (!attr)
      return target;
    auto text = [&](llvm::StringRef name, llvm::StringRef &to) {
      if (auto value = attr.getAs<mlir::StringAttr>(name))
        to = value.getValue();
    };
    auto number = [&](llvm::StringRef name, int64_t &to) {
      auto value = attr.getAs<mlir::IntegerAttr>(name);
      if (value && value.getType().isSignlessInteger(64))
        to = value.getInt();
    };
    text("triple", target.triple);
    text("cpu", target.cpu);
    text("features", target.features);
    number("vector_bits", target.vectorBits);
    number("l1", target.l1);
    number("l2", target.l2);
    if (auto value = attr.getAs<mlir::BoolAttr>("fma"))
      target.fma = value.getValue();
    return target;
  }

  /// Whether the feature string turns this LLVM feature on.
  bool has(llvm::StringRef feature) const {
    llvm::SmallVector<llvm::StringRef> all;
    features.split(all, ',');
    for (llvm::StringRef one : all)
      if (one.consume_front("+") && one == feature)
        return true;
    return false;
  }
};

} // namespace weir

#endif

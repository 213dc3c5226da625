// The processor that code is made for, as the module's `weir.target` has it.

#ifndef WEIR_DIALECTS_TARGET_TARGETATTR_H
#define WEIR_DIALECTS_TARGET_TARGETATTR_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// `weir.target` of the module around an op, which compiler/target writes. This
/// is its only reader: what the dictionary lacks has the same default wherever
/// it is asked for, so that a test of a pass need not spell a target.
struct TargetAttr {
  llvm::StringRef triple = "x86_64-unknown-linux-gnu";
  llvm::StringRef cpu = "x86-64";
  llvm::StringRef features = "";
  int64_t vectorBits = 512; // of the widest registers worth using
  int64_t panelBits = 512;  // of the vectors that weights are packed for
  bool sharesPanels = false;
  int64_t registers = 32;
  int64_t l1 = 32 << 10; // bytes of the data caches of one core
  int64_t l2 = 1 << 20;
  bool fma = true;
  int64_t fmaRate = 1;
  bool addsBeside = false;
  /// Whether kernels are for a GPU, of which the rest says nothing.
  bool gpu = false;

  static TargetAttr get(mlir::Operation *op);

  /// Whether the feature string turns this LLVM feature on.
  bool has(llvm::StringRef feature) const;
  bool isArm() const { return triple.starts_with("aarch64"); }
};

} // namespace weir

#endif // WEIR_DIALECTS_TARGET_TARGETATTR_H

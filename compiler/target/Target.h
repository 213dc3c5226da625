// What to compile for: from options to the module attribute `weir.target`.
#ifndef WEIR_COMPILER_TARGET_TARGET_H
#define WEIR_COMPILER_TARGET_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"

namespace weir {

struct TargetOptions {
  std::string triple;         // empty: x86_64 Linux, or the host's if Linux
  std::string cpu = "native"; // or x86-64-v2, -v3, -v4, or a name LLVM knows
  std::string features;       // as for -mattr: "+avx512f,-fma"
  int64_t panelBits = 0;      // of the vectors that weights are packed for
};

/// Resolves the options and writes `weir.target` on the module. An unknown
/// triple, processor or feature is an error that names it.
llvm::Error writeTarget(mlir::ModuleOp module, const TargetOptions &options);

/// Prints the names that `cpu` may have for the triple, a line each; an error
/// where there is no such target.
llvm::Error printProcessors(llvm::StringRef triple, llvm::raw_ostream &os);

/// Whether a processor begins two multiply-adds of vectors of 512 bits in a
/// cycle.
bool beginsTwoWideProducts(const llvm::MCSubtargetInfo &processor);

} // namespace weir

#endif

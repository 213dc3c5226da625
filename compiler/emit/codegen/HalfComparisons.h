// Comparisons of vectors of 16-bit floats.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_HALFCOMPARISONS_H
#define WEIR_COMPILER_EMIT_CODEGEN_HALFCOMPARISONS_H

#include "llvm/IR/PassManager.h"

namespace weir {

/// Compares f16 and bf16 as f32. LLVM narrows comparisons of what was widened,
/// and takes the vectors apart where the target has no such comparison. The
/// last of the passes on LLVM IR, after which nothing narrows them again.
struct WidenHalfComparisons : llvm::PassInfoMixin<WidenHalfComparisons> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace weir

#endif // WEIR_COMPILER_EMIT_CODEGEN_HALFCOMPARISONS_H

// Stores of the first elements of a vector.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_MASKEDSTORES_H
#define WEIR_COMPILER_EMIT_CODEGEN_MASKEDSTORES_H

#include "llvm/IR/PassManager.h"

namespace weir {

/// Makes a masked store whose constant mask has the first elements, and a power
/// of two of them, a store of a vector of so many. LLVM 19 takes half a minute
/// to select the instructions of a block with a hundred such masked stores
/// beside memsets, as the borders of a padded image have, and a tenth of a
/// second without.
struct NarrowMaskedStores : llvm::PassInfoMixin<NarrowMaskedStores> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace weir

#endif // WEIR_COMPILER_EMIT_CODEGEN_MASKEDSTORES_H

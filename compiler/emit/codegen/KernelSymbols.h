// Symbols of kernels that profilers show.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_KERNELSYMBOLS_H
#define WEIR_COMPILER_EMIT_CODEGEN_KERNELSYMBOLS_H

#include "compiler/emit/Object.h"

namespace weir {

/// Names each kernel after its first node, as in `conv1/Relu [kernel_7]`. Each
/// kernel stays a function of its own, since inlined code has no symbol.
void nameKernels(NativeModule &native,
                 llvm::ArrayRef<mlir::ModuleOp> isaVariants);

} // namespace weir

#endif

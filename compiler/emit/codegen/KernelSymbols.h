// Symbols of kernels that profilers show.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_KERNELSYMBOLS_H
#define WEIR_COMPILER_EMIT_CODEGEN_KERNELSYMBOLS_H

#include "compiler/emit/Object.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weir {

/// What a function of a kernel is called outside of the compiler, as in
/// `conv1/Relu [kernel_7]`: the first node, and the kernel. Of several phases
/// each has its number, as in `conv1/Relu [kernel_7] phase 1`. With
/// --multiversion the kernels of a variant have its prefix.
std::string kernelTitle(mlir::LLVM::LLVMFuncOp kernel, llvm::StringRef prefix);

/// The kernel, or the function of a phase, that has this title or this symbol,
/// as kernel_7_phase_1 of `conv1/Relu [kernel_7] phase 1`; empty if the name
/// has another form.
std::string kernelOfSymbol(llvm::StringRef name);

/// Gives each kernel its title as its symbol. Each kernel stays a function of
/// its own, since inlined code has no symbol.
void nameKernels(NativeModule &native,
                 llvm::ArrayRef<mlir::ModuleOp> isaVariants);

} // namespace weir

#endif

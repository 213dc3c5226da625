// The code of single kernels, as text.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_KERNELCODE_H
#define WEIR_COMPILER_EMIT_CODEGEN_KERNELCODE_H

#include "compiler/emit/Emit.h"

namespace weir {

/// One kernel as LLVM IR before and after LLVM's passes, and as assembly.
struct KernelCode {
  size_t isaVariant = 0;
  std::string kernel, before, after, assembly;
  /// What begins a comment in the assembly.
  std::string comment;
};

/// Compiles each kernel whose name `isSelected` accepts, alone: its code is
/// that of the kernel in a large model, where LLVM does not inline it.
llvm::Expected<std::vector<KernelCode>>
compileKernels(llvm::ArrayRef<mlir::ModuleOp> isaVariants,
               const EmitOptions &options,
               llvm::function_ref<bool(llvm::StringRef)> isSelected);

} // namespace weir

#endif

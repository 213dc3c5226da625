// Loops that handlers build themselves, over tensors of fixed shapes.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_REPEAT_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_REPEAT_H

#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// Runs `step` on the state while `again` holds of it, and gives the last one.
/// A step gives as many tensors, of the same types.
llvm::SmallVector<Expr> repeatWhile(
    mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Expr> init,
    llvm::function_ref<Expr(llvm::ArrayRef<Expr>)> again,
    llvm::function_ref<llvm::SmallVector<Expr>(llvm::ArrayRef<Expr>)> step);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_REPEAT_H

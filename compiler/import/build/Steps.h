// What is done step by step.

#ifndef WEIR_COMPILER_IMPORT_BUILD_STEPS_H
#define WEIR_COMPILER_IMPORT_BUILD_STEPS_H

#include "compiler/import/Build.h"

namespace weir {

/// The states after the last step of a graph.while: `step` makes the next
/// states while `again` holds of them. A step gives as many tensors, of the
/// same types.
llvm::SmallVector<Expr> repeatWhile(
    mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Expr> states,
    llvm::function_ref<Expr(llvm::ArrayRef<Expr>)> again,
    llvm::function_ref<llvm::SmallVector<Expr>(llvm::ArrayRef<Expr>)> step);

/// The states after `count` steps, each of which makes the next states of the
/// ones before; `i`, a scalar i64, counts them from 0 and is constant where
/// steps are written out, which they are while they are few. States keep their
/// types. Without values where a step has none.
llvm::SmallVector<Expr>
repeat(mlir::ImplicitLocOpBuilder &b, int64_t count,
       llvm::ArrayRef<Expr> states,
       llvm::function_ref<llvm::SmallVector<Expr>(Expr i, llvm::ArrayRef<Expr>)>
           step);

/// The same, as many times as a scalar i64 says that only the run knows.
llvm::SmallVector<Expr>
repeat(mlir::ImplicitLocOpBuilder &b, Expr count, llvm::ArrayRef<Expr> states,
       llvm::function_ref<llvm::SmallVector<Expr>(Expr i, llvm::ArrayRef<Expr>)>
           step);

/// The part of `x` at index `i` of dimension `dim`, which goes.
Expr partAt(Expr x, int64_t dim, Expr i);
/// `x` with such a part replaced.
Expr withPart(Expr x, int64_t dim, Expr i, Expr part);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_STEPS_H

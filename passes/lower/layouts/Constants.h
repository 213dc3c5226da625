// The constants that tasks give to an argument of their kernel.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_CONSTANTS_H
#define WEIR_PASSES_LOWER_LAYOUTS_CONSTANTS_H

#include "dialects/graph/Graph.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace weir::lower {

/// Whether the bytes of the constant, or of all its parts, are known.
bool hasBytes(mlir::ElementsAttr value);

/// The constants that all of `callers` give for an argument. There are none if
/// one of them gives another value, or the bytes of one are not known.
std::optional<llvm::SmallVector<graph::ConstantOp>>
constantsFor(mlir::BlockArgument argument,
             llvm::ArrayRef<plan::TaskOp> callers);

/// The kernels of a module whose weights weir packs, with the tasks that run
/// them: those that are not calls of a library.
void forEachKernel(
    mlir::ModuleOp module,
    llvm::function_ref<void(mlir::func::FuncOp, llvm::ArrayRef<plan::TaskOp>)>
        visit);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_CONSTANTS_H

// The plan dialect in C++: include this, never the generated files.

#ifndef WEIR_DIALECTS_PLAN_PLAN_H
#define WEIR_DIALECTS_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include "dialects/plan/PlanDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace weir::plan {

/// The module with the kernels for the host of a GPU.
inline constexpr llvm::StringLiteral hostKernels = "weir_host_kernels";

/// The function that a task or run at `inside` calls, maybe one of the host's
/// kernels. Null if there is none.
mlir::Operation *findKernel(mlir::Operation *inside,
                            mlir::FlatSymbolRefAttr name);

/// The tasks inside `root` by their kernels, both in program order.
llvm::MapVector<mlir::StringAttr, llvm::SmallVector<TaskOp>>
tasksOfKernels(mlir::Operation *root);

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_PLAN_H

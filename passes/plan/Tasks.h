// Estimates the time of tasks, for the passes that group them.

#ifndef WEIR_PASSES_PLAN_TASKS_H
#define WEIR_PASSES_PLAN_TASKS_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir::plan {

/// In nanoseconds: a longer task keeps all threads busy by itself.
constexpr int64_t smallTask = 40000;
/// In nanoseconds: a group must save so much beside its longest task, since its
/// barrier costs as much.
constexpr int64_t worthSharing = 1500;

/// The estimated nanoseconds of an op of the outer program: 0 for views and
/// constants, -1 if it is unknown.
int64_t timeOf(mlir::Operation *op, mlir::SymbolTable &symbols);

/// The blocks of all entries, inner ones first. Empty for a library with one
/// thread.
mlir::SmallVector<mlir::Block *> blocksForThreads(mlir::ModuleOp module);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_TASKS_H

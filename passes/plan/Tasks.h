// Tasks of the outer program, for what brings them together.

#ifndef WEIR_PASSES_PLAN_TASKS_H
#define WEIR_PASSES_PLAN_TASKS_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Tasks of more nanoseconds are well shared by themselves.
constexpr int64_t smallTask = 40000;
/// Threads meet for so many nanoseconds at least beside the longest task.
constexpr int64_t worthMeeting = 1500;

/// Nanoseconds of an op of the outer program: none of views and constants, -1
/// where nobody knows.
int64_t timeOf(mlir::Operation *op, mlir::SymbolTable &symbols);

/// The blocks of all entries, inner ones first; none where one thread runs.
mlir::SmallVector<mlir::Block *> blocksForThreads(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_PASSES_PLAN_TASKS_H

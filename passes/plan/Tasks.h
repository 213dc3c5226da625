// Estimates the time of tasks, for the passes that group them.

#ifndef WEIR_PASSES_PLAN_TASKS_H
#define WEIR_PASSES_PLAN_TASKS_H

#include "dialects/kernel/cost/Cost.h"
#include "dialects/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir::plan {

/// In nanoseconds: a longer task keeps all threads busy by itself, if it has
/// work items.
constexpr int64_t smallTask = 40000;
/// In nanoseconds: a group must save so much beside its longest task, since its
/// barrier costs as much.
constexpr int64_t worthSharing = 1500;

/// The estimated nanoseconds of an op of the outer program on one thread.
struct TaskTime {
  int64_t total = -1;     ///< 0 for views and constants, -1 if it is unknown
  int64_t sequential = 0; ///< the part that threads cannot share
  bool fills = false;     ///< its work items may run beside any task

  static TaskTime of(mlir::Operation *op, mlir::SymbolTable &symbols);

  bool isKnown() const { return total >= 0; }

  /// Whether threads would be idle for long if the task ran alone.
  bool isLongSequential() const {
    return total > smallTask && sequential >= kernel::longSequentialTime &&
           sequential >= total / 4;
  }
};

/// The blocks of all entries, inner ones first. Empty for a library with one
/// thread.
mlir::SmallVector<mlir::Block *> blocksForThreads(mlir::ModuleOp module);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_TASKS_H

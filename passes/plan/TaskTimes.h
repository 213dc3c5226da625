// How long tasks take, roughly, for what brings them together.

#ifndef WEIR_PASSES_PLAN_TASKTIMES_H
#define WEIR_PASSES_PLAN_TASKTIMES_H

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Tasks of more nanoseconds are well shared by themselves.
constexpr int64_t smallTask = 40000;
/// Threads meet for so many nanoseconds at least beside the longest task.
constexpr int64_t worthMeeting = 1500;

/// Nanoseconds of a task, or -1 where nobody knows.
inline int64_t timeOf(plan::TaskOp task, mlir::SymbolTable &symbols) {
  auto kernel = symbols.lookup<mlir::func::FuncOp>(task.getKernel());
  auto time = kernel
                  ? kernel->getAttrOfType<mlir::IntegerAttr>("weir.nanoseconds")
                  : nullptr;
  return time ? time.getInt() : -1;
}

} // namespace weir

#endif // WEIR_PASSES_PLAN_TASKTIMES_H

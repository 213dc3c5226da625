// The parallel regions that a group of tasks becomes.

#ifndef WEIR_PASSES_CPU_LOOPS_STEPS_H
#define WEIR_PASSES_CPU_LOOPS_STEPS_H

#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace weir::cpu {

/// The part of a kernel between two barriers.
struct Phase {
  mlir::func::FuncOp kernel;
  kernel::ParallelOp loop; // null: one thread's
};

/// The phases of kernels with work items.
using Phases = llvm::StringMap<llvm::SmallVector<Phase>>;

/// A phase of a run; null if its kernel has no work items.
struct StepRun {
  plan::RunOp run;
  Phase *phase;
  int64_t items = 0; // as which it counts, if the step is balanced
};

/// Runs that share one parallel region.
using Step = llvm::SmallVector<StepRun>;

/// The regions of a group of runs, or of one run, in order.
llvm::SmallVector<Step> stepsOf(llvm::ArrayRef<plan::RunOp> taskGroup,
                                Phases &phasesOf);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_STEPS_H

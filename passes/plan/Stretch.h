// Puts the tasks of a sequence in an order in which independent ones can share
// parallel regions.

#ifndef WEIR_PASSES_PLAN_STRETCH_H
#define WEIR_PASSES_PLAN_STRETCH_H

#include "passes/plan/LiveBytes.h"
#include "passes/plan/Tasks.h"

namespace weir::plan {

/// A sequence of ops that may be reordered where they do not depend on each
/// other. Independent small tasks form groups. So do long tasks that one thread
/// computes, beside tasks whose work items keep the remaining threads busy.
/// Checks keep their order.
class Stretch {
public:
  /// The ops are in the order of their block, each with its time. No order has
  /// more live bytes than the present one and `maxGrowth` together, except by
  /// small tasks.
  Stretch(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<TaskTime> times,
          int64_t slots, int64_t maxGrowth);

  void schedule(int64_t &taskGroups);

private:
  using Indices = llvm::SmallVector<size_t>;

  Indices nextTaskGroup();
  Indices longGroup(size_t at);
  Indices leadingTo(llvm::ArrayRef<size_t> sequential);
  void forEachReady(llvm::function_ref<bool(size_t)> visit);
  void place(llvm::ArrayRef<size_t> together);
  bool isReady(mlir::Operation *op) const;
  bool isWithinLimit(llvm::ArrayRef<size_t> together) const;
  llvm::SmallVector<mlir::Operation *>
  opsOf(llvm::ArrayRef<size_t> indices) const;
  /// Calls `visit` with the number of each op of the sequence that comes before
  /// `op` in any order.
  void forEachBefore(mlir::Operation *op,
                     llvm::function_ref<void(size_t)> visit) const;

  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::ArrayRef<TaskTime> times;
  int64_t slots, maxBytes;
  LiveBytes live;
  llvm::SmallVector<bool> done;
  llvm::DenseMap<mlir::Operation *, size_t> order;
  llvm::DenseMap<mlir::Operation *, size_t> checkBefore; // by check
  mlir::Operation *end; // the op after the sequence
  bool hasLongSequential;
  size_t first = 0;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_STRETCH_H

// The liveness of an entry's values and variables, and which results can be
// computed in place.

#ifndef WEIR_PASSES_PLAN_USES_H
#define WEIR_PASSES_PLAN_USES_H

#include "dialects/graph/state/State.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::plan {

/// Intervals over the final order of an entry's ops. Tasks of one group have
/// one time, and the regions of a loop are between its begin and its end.
class Uses {
public:
  explicit Uses(mlir::func::FuncOp entry);

  /// Whether the variable keeps its value as long as the read value is live. If
  /// so, the read needs no copy.
  bool isView(graph::ReadVariableOp read) const;

  /// The task that may compute the new value directly in the variable's buffer,
  /// or null. The old value must be dead once the task begins, and the new one
  /// must not be overwritten while it is live.
  plan::TaskOp makerInPlace(graph::WriteVariableOp write) const;

  /// As above, for the next value of variable `i` of a loop, an argument of its
  /// body.
  plan::TaskOp nextInPlace(graph::WhileOp loop, unsigned i) const;

  /// Whether the task may overwrite `value`, the result of another task of its
  /// block: no other op reads it once the task has begun.
  bool takesOver(plan::TaskOp task, mlir::Value value) const;

private:
  struct Span {
    int64_t begin, end;
  };

  /// When the last op that uses the value ends, without those inside of
  /// `except`.
  int64_t lastUse(mlir::Value value, mlir::Operation *except = nullptr) const;
  /// Whether the task reads an element of `read` only before it writes the same
  /// element.
  bool readsInPlace(plan::TaskOp task, mlir::Value read) const;

  llvm::SmallVector<int64_t> agreements; // of roles, on failed checks
  llvm::DenseMap<mlir::Operation *, Span> spans;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<graph::ReadVariableOp>>
      reads;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<graph::WriteVariableOp>>
      writes;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_USES_H

// When an entry uses its values and assigns its variables, and those of its
// loops, and what can be made in the place of another.

#ifndef WEIR_PASSES_PLAN_USES_H
#define WEIR_PASSES_PLAN_USES_H

#include "dialects/graph/state/State.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// The order of an entry's ops is final: tasks of one wave are one moment, and
/// the regions of a loop are all between its begin and its end.
class Uses {
public:
  explicit Uses(mlir::func::FuncOp entry);

  /// Whether nothing assigns the variable while what was read is in use, which
  /// then need not be copied.
  bool isView(graph::ReadVariableOp read) const;

  /// The task that may write the value straight into the variable's place:
  /// neither does the value there change while it is in use, nor does anyone
  /// need the old one once the task has begun. Null where there is none.
  plan::TaskOp makerInPlace(graph::WriteVariableOp write) const;

  /// The same of the next value of a loop's variable `i`, which is an argument
  /// of the loop's body.
  plan::TaskOp nextInPlace(graph::WhileOp loop, unsigned i) const;

  /// Whether the task may write a result where `value` is, what another task of
  /// its block has made: nobody else needs that once the task has begun.
  bool takesOver(plan::TaskOp task, mlir::Value value) const;

private:
  struct Span {
    int64_t begin, end;
  };

  /// When the last op that uses the value ends, of those outside `except`.
  int64_t lastUse(mlir::Value value, mlir::Operation *except = nullptr) const;
  /// Whether the task reads what it is given of `read` only where it writes.
  bool readsInPlace(plan::TaskOp task, mlir::Value read) const;

  llvm::DenseMap<mlir::Operation *, Span> spans;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<graph::ReadVariableOp>>
      reads;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<graph::WriteVariableOp>>
      writes;
};

} // namespace weir

#endif // WEIR_PASSES_PLAN_USES_H

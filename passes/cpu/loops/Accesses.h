// Which elements of which buffer an op stores, by the variables of loops.

#ifndef WEIR_PASSES_CPU_LOOPS_ACCESSES_H
#define WEIR_PASSES_CPU_LOOPS_ACCESSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace weir {

/// An index that is a sum of multiples of values and a constant.
struct LinearIndex {
  /// In the order in which they are first met; no value twice.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms;
  int64_t constant = 0;
  /// False where a loop inside of the one at hand has no least value that is
  /// known outside.
  bool isUsable = true;
  /// Whether variables of loops inside of the one at hand have been replaced.
  bool hasInner = false;
  /// Besides, the loop's variable and this, divided by `divisor` and rounded
  /// down: of a loop over several dimensions at once, the first of these.
  std::shared_ptr<LinearIndex> quotient;
  int64_t divisor = 1;

  /// Whether two differ by a constant at most.
  bool isAlike(const LinearIndex &other) const;
  static LinearIndex of(mlir::Value value);
  void add(const LinearIndex &other, int64_t factor);
  int64_t factorOf(mlir::Value value) const;
  LinearIndex without(mlir::Value value) const;
  /// As seen from before the loop, but for its own variable: variables of loops
  /// inside are at their least values.
  void enter(mlir::scf::ForOp loop);
  /// As seen from the loop's own body, where values of its ops are known, too.
  void enterBody(mlir::scf::ForOp loop);
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  bool enterQuotient(mlir::scf::ForOp loop, mlir::Value value);
  bool replaceInner(mlir::Value value, int64_t factor);
};

/// Elements of a buffer from the one with these indices on.
struct Access {
  mlir::Value root;
  llvm::SmallVector<LinearIndex> indices;
};

/// What an op stores; nothing of an op that is no store, or to a view that is
/// not understood. A view for which `isRoot` holds is followed no further.
std::optional<Access>
storeOf(mlir::Operation *op,
        llvm::function_ref<bool(mlir::Value)> isRoot = nullptr);
/// Whether an op stores nothing: it may read, prefetch, or hold other ops.
bool isHarmless(mlir::Operation *op);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_ACCESSES_H

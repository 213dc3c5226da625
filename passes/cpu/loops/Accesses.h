// Expresses the elements that an op stores by the variables of loops.

#ifndef WEIR_PASSES_CPU_LOOPS_ACCESSES_H
#define WEIR_PASSES_CPU_LOOPS_ACCESSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace weir::cpu {

/// An index as a linear combination of values, plus a constant.
struct LinearIndex {
  /// In the order of first use, without duplicates.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms;
  int64_t constant = 0;
  /// False if the lower bound of an inner loop is not known outside of the
  /// loop.
  bool isUsable = true;
  /// Whether variables of inner loops have been replaced.
  bool hasInner = false;
  /// An additional term: the loop's variable plus this, divided by `divisor`
  /// and rounded down. It is the first index of a loop over several merged
  /// dimensions.
  std::shared_ptr<LinearIndex> quotient;
  int64_t divisor = 1;

  /// Whether the two differ by a constant at most.
  bool isAlike(const LinearIndex &other) const;
  static LinearIndex of(mlir::Value value);
  void add(const LinearIndex &other, int64_t factor);
  int64_t factorOf(mlir::Value value) const;
  LinearIndex without(mlir::Value value) const;
  /// The index in terms of values before the loop and the loop's variable.
  /// Variables of inner loops are at their lower bounds.
  void enter(mlir::scf::ForOp loop);
  /// The index in terms of values in the loop's body.
  void enterBody(mlir::scf::ForOp loop);
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  bool enterQuotient(mlir::scf::ForOp loop, mlir::Value value);
  bool replaceInner(mlir::Value value, int64_t factor);
};

/// The elements of a buffer from these indices on.
struct Access {
  mlir::Value root;
  llvm::SmallVector<LinearIndex> indices;
};

/// The elements that an op stores. No value if it is not a store, or if its
/// view is not supported. A view for which `isRoot` is true is not followed
/// further.
std::optional<Access>
storeOf(mlir::Operation *op,
        llvm::function_ref<bool(mlir::Value)> isRoot = nullptr);
/// Whether an op stores nothing; it may read, prefetch, or contain other ops.
bool isHarmless(mlir::Operation *op);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_ACCESSES_H

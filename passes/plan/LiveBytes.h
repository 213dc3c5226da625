// Counts the bytes that are live while tasks are put in order.

#ifndef WEIR_PASSES_PLAN_LIVEBYTES_H
#define WEIR_PASSES_PLAN_LIVEBYTES_H

#include "dialects/plan/Plan.h"

namespace weir::plan {

/// The buffers in the arena that a sequence of ops of one block uses. Weights,
/// the arguments of the entry and its results have other memory. The planner
/// may need less, as some results are computed in place.
class LiveBytes {
public:
  explicit LiveBytes(llvm::ArrayRef<mlir::Operation *> ops);

  /// The bytes that are live while ops that have not run yet run together.
  int64_t during(llvm::ArrayRef<mlir::Operation *> together) const;
  void run(llvm::ArrayRef<mlir::Operation *> together);

  /// The largest number of bytes if the ops run one after the other.
  static int64_t peakInOrder(llvm::ArrayRef<mlir::Operation *> ops);

private:
  void addOperand(mlir::Value operand,
                  const llvm::DenseSet<mlir::Operation *> &inside,
                  mlir::Operation *first);

  struct Buffer {
    int64_t bytes;
    int64_t uses; // of ops that have not run yet
  };
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  int64_t live = 0;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_LIVEBYTES_H

// A linalg op on buffers as loops of which one may become lanes of vectors.

#ifndef WEIR_PASSES_CPU_LOOPS_LOOPNEST_H
#define WEIR_PASSES_CPU_LOOPS_LOOPNEST_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir {

/// Elements of 32 bits, which are the lanes of vectors.
bool isWord(mlir::Type type);

/// Floats of 16 bits, which become such where they are read.
bool isHalf(mlir::Type type);

/// Whether an op has a vector form of such elements, or with `makesBytes` of
/// bytes, in which lanes that are not valid, read as zero, do no harm.
bool isWidenable(mlir::Operation &inner, bool makesBytes = false);

struct LoopNest {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> ranges;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  mlir::Block *body;
  unsigned dimension = 0; // of the lanes

  explicit LoopNest(mlir::linalg::LinalgOp op);

  /// Whether the body can be widened; sets the dimension of the lanes.
  bool applies();

  bool isRead(mlir::OpOperand &operand) {
    return !op.getMatchingBlockArgument(&operand).use_empty();
  }
  mlir::AffineMap mapOf(mlir::OpOperand &operand) const {
    return maps[operand.getOperandNumber()];
  }
  /// Whether all lanes have one element of the operand.
  bool isInvariant(mlir::OpOperand &operand) const {
    return !mapOf(operand).isFunctionOfDim(dimension);
  }
  /// The place of an operand at loops whose indices are `at`.
  Emitter::Values place(Emitter &e, mlir::OpOperand &operand,
                        llvm::ArrayRef<mlir::Value> at) const;
  bool isReduction(unsigned d) const {
    return iterators[d] == mlir::utils::IteratorType::reduction;
  }
  /// The op that adds an element to the accumulator of an output, or null.
  mlir::Operation *combiner(mlir::OpOperand &init);

private:
  bool laneDimension(unsigned d);
  bool accumulatorsFit();
};

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_LOOPNEST_H

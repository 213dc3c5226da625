// A linalg op on buffers as a loop nest, one loop of which can be vectorized.

#ifndef WEIR_PASSES_CPU_LOOPS_LOOPNEST_H
#define WEIR_PASSES_CPU_LOOPS_LOOPNEST_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::cpu {

/// 32-bit elements, which are stored in lanes directly.
bool is32Bit(mlir::Type type);

/// f16 and bf16, which are converted at loads.
bool isFloat16(mlir::Type type);

/// Whether an op has a vector form for such elements, or with `makesBytes` for
/// bytes. Lanes that are not valid are zero and must do no harm.
bool isWidenable(mlir::Operation &inner, bool makesBytes = false);

struct LoopNest {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> ranges;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  mlir::Block *body;
  unsigned dimension = 0; // of the lanes

  explicit LoopNest(mlir::linalg::LinalgOp op);

  /// Whether the body can be vectorized; sets the dimension of the lanes.
  bool applies();

  bool isRead(mlir::OpOperand &operand) {
    return !op.getMatchingBlockArgument(&operand).use_empty();
  }
  mlir::AffineMap mapOf(mlir::OpOperand &operand) const {
    return maps[operand.getOperandNumber()];
  }
  /// Whether all lanes use the same element of the operand.
  bool isInvariant(mlir::OpOperand &operand) const {
    return !mapOf(operand).isFunctionOfDim(dimension);
  }
  /// The indices of an operand for the loop indices `at`.
  Emitter::Values position(Emitter &e, mlir::OpOperand &operand,
                           llvm::ArrayRef<mlir::Value> at) const;
  bool isReduction(unsigned d) const {
    return iterators[d] == mlir::utils::IteratorType::reduction;
  }
  /// The op that combines an element with the accumulator of an output, or
  /// null.
  mlir::Operation *combiner(mlir::OpOperand &init);

private:
  bool laneDimension(unsigned d);
  bool accumulatorsFit();
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_LOOPNEST_H

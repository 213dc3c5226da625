// Vectorizes loops whose operands are contiguous along another dimension than
// their result, by blocks that are transposed in registers.

#ifndef WEIR_PASSES_CPU_LOOPS_TRANSPOSEBLOCKS_H
#define WEIR_PASSES_CPU_LOOPS_TRANSPOSEBLOCKS_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace weir::cpu {

/// Transposes a block of as many vectors as lanes, a power of two.
void transposeBlock(Emitter &e, llvm::MutableArrayRef<mlir::Value> rows);

/// Loops over elements of 32, 16 or 8 bits that transpose an operand, with or
/// without arithmetic on it and on operands in the result's order.
struct TransposeBlocks {
  unsigned down;   // the contiguous dimension of the transposed operand
  unsigned across; // the contiguous dimension of the result
  /// Whether two or four rows of the result, which are short, are computed
  /// together.
  bool interleaves = false;

  /// No value if nothing is transposed, or if it is small.
  static std::optional<TransposeBlocks> of(mlir::linalg::LinalgOp op);
  /// Emits the loops by register transpose blocks of vectors of `lanes`, a
  /// power of two.
  void emit(Emitter &e, mlir::linalg::LinalgOp op, int64_t lanes) const;

  /// Whether an operand with this map is contiguous along another dimension.
  bool isTransposed(mlir::AffineMap map) const;

private:
  bool rowsAreShort(mlir::linalg::LinalgOp op) const;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_TRANSPOSEBLOCKS_H

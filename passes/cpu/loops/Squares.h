// Loops some of whose operands have other neighbours than their result, by
// squares that are transposed in registers.

#ifndef WEIR_PASSES_CPU_LOOPS_SQUARES_H
#define WEIR_PASSES_CPU_LOOPS_SQUARES_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace weir {

/// The vectors' columns as vectors; as many as lanes, a power of two.
void transposeSquare(Emitter &e, llvm::MutableArrayRef<mlir::Value> rows);

/// The two dimensions of such loops over words, halves and bytes: copies that
/// transpose, with or without arithmetic on what is copied and on what lies
/// like the result.
struct Squares {
  unsigned down;   // neighbours of what is transposed
  unsigned across; // neighbours of the result
  /// Whether rows of the result, two or four elements, are made together.
  bool interleaves = false;

  /// None where nothing is transposed, or little.
  static std::optional<Squares> of(mlir::linalg::LinalgOp op);
  /// Emits the loops by squares of vectors of `lanes`, a power of two.
  void emit(Emitter &e, mlir::linalg::LinalgOp op, int64_t lanes) const;

  /// Whether an operand that is read by `map` has other neighbours.
  bool isTransposed(mlir::AffineMap map) const;

private:
  bool rowsAreShort(mlir::linalg::LinalgOp op) const;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_SQUARES_H

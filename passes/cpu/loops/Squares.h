// Copies that change which dimension lies side by side, by squares in
// registers.

#ifndef WEIR_PASSES_CPU_LOOPS_SQUARES_H
#define WEIR_PASSES_CPU_LOOPS_SQUARES_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace weir {

/// The vectors' columns as vectors; as many as lanes, a power of two.
void transposeSquare(Emitter &e, llvm::MutableArrayRef<mlir::Value> rows);

/// The two dimensions of loops over words that do nothing but move them.
struct Squares {
  unsigned down;   // neighbours of the source
  unsigned across; // neighbours of the result

  /// None where the op is not such a copy, or one has few neighbours.
  static std::optional<Squares> of(mlir::linalg::LinalgOp op);
  /// Emits the copy by squares of vectors of `lanes`, a power of two.
  void copy(Emitter &e, mlir::linalg::LinalgOp op, int64_t lanes) const;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_SQUARES_H

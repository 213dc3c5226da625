// Copies some lines of a panel of a matrix, as kernel.pack has it.

#ifndef WEIR_PASSES_CPU_KERNELS_PANELCOPY_H
#define WEIR_PASSES_CPU_KERNELS_PANELCOPY_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

struct PanelCopy {
  Emitter &e;
  mlir::Value b;
  bool transposed;
  int64_t width, lanes; // of a panel, of a vector of elements as they are

  PanelCopy(Emitter &e, kernel::PackOp op, int64_t width,
            const kernel::Target &target);

  /// Copies `lines` lines, from `line`, of the `valid` columns from `first`, of
  /// the matrix `batch` of B, to `out[place.., 0 to lines, 0 to width]`, with
  /// zeros past `valid`.
  void run(mlir::ValueRange batch, mlir::Value first, int64_t valid,
           mlir::Value line, int64_t lines, mlir::Value out,
           mlir::ValueRange place);

private:
  void runTransposed(mlir::ValueRange batch, mlir::Value first, int64_t valid,
                     mlir::Value line, int64_t lines, mlir::Value out,
                     mlir::ValueRange place);
};

/// Copies `count` elements of a row of A from `from` on to row `target` of
/// `copy`, whose elements are those of the sums or, where B is in words, words
/// of four bytes.
void copyLine(Emitter &e, kernel::MatmulOp op, mlir::ValueRange from,
              int64_t count, mlir::Value copy, mlir::Value target,
              int64_t lanes, bool words);

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_PANELCOPY_H

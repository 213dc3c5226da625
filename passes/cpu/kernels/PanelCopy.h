// Copies rows of a panel to the layout of kernel.pack.

#ifndef WEIR_PASSES_CPU_KERNELS_PANELCOPY_H
#define WEIR_PASSES_CPU_KERNELS_PANELCOPY_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

struct PanelCopy {
  Emitter &e;
  mlir::Value b;
  bool transposed;
  int64_t width, lanes; // of a panel, of a vector of unconverted elements

  PanelCopy(Emitter &e, kernel::PackOp op, int64_t width,
            const kernel::Target &target);

  /// Copies `lines` rows from row `line` on, of the `valid` columns from
  /// `first` on, of matrix `batch` of B, to `out[place.., 0 to lines, 0 to
  /// width]`. Columns from `valid` on become zero.
  void run(mlir::ValueRange batch, mlir::Value first, int64_t valid,
           mlir::Value line, int64_t lines, mlir::Value out,
           mlir::ValueRange position);

private:
  void runTransposed(mlir::ValueRange batch, mlir::Value first, int64_t valid,
                     mlir::Value line, int64_t lines, mlir::Value out,
                     mlir::ValueRange position);
};

/// Copies `count` elements of a row of A from `from` on to row `target` of
/// `copy`. Its elements have the type of the sums or, if B is interleaved, are
/// groups of four bytes.
void copyLine(Emitter &e, kernel::MatmulOp op, mlir::ValueRange from,
              int64_t count, mlir::Value copy, mlir::Value target,
              int64_t lanes, bool isInterleaved);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_PANELCOPY_H

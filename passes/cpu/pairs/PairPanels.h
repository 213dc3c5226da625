// Packs panels for inner-product pairing at run time.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRPANELS_H
#define WEIR_PASSES_CPU_PAIRS_PAIRPANELS_H

#include "passes/cpu/kernels/PanelCopy.h"

namespace weir {

/// The panels that a kernel.pack in the layout `pairing` makes.
struct PairPanels {
  Emitter &e;
  int64_t depth, columns;
  int64_t lanes; // of a vector
  PanelCopy copy;

  PairPanels(Emitter &e, kernel::PackOp op, const kernel::Target &target);

  /// The time to pack all panels.
  double nanoseconds() const;
  /// Packs panel `j` to panel `place` of `out`.
  void pack(mlir::Value j, mlir::Value out, mlir::Value place);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRPANELS_H

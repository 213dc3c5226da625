// Packs panels for inner-product pairing at run time.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGPANELS_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGPANELS_H

#include "passes/cpu/kernels/PanelCopy.h"

namespace weir::cpu {

/// The panels that a kernel.pack in the layout `pairing` makes.
struct PairingPanels {
  Emitter &e;
  int64_t depth, columns;
  int64_t lanes; // of a vector
  PanelCopy copy;

  PairingPanels(Emitter &e, kernel::PackOp op, const kernel::Target &target);

  /// The cost to pack all panels.
  double cycles() const;
  /// Packs panel `j` to panel `place` of `out`.
  void pack(mlir::Value j, mlir::Value out, mlir::Value position);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGPANELS_H

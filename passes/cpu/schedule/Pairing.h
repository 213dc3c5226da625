// Chooses how a kernel by inner-product pairing is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE_PAIRING_H
#define WEIR_PASSES_CPU_SCHEDULE_PAIRING_H

#include "dialects/kernel/schedule/pairing/PairingShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

struct PairingContext : KernelContext {
  /// The op that packs the right side for this product alone, or null.
  kernel::PackOp pack;

  static PairingContext of(mlir::Operation *op);

  /// The cycles of the kernel, and those to pack its right side.
  double cycles(const kernel::PairingShape &shape) const;
};

/// The schedule of a product or a convolution by inner-product pairing. `fixed`
/// are parameters that are not chosen, with their values in `given`; null for
/// none.
kernel::PairingSchedule choosePairing(const kernel::PairingShape &shape,
                                      const PairingContext &context,
                                      const kernel::Target &target,
                                      const kernel::PairingSchedule &given = {},
                                      mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_PAIRING_H

// Which constant weights suit the layout for inner-product pairing.

#ifndef WEIR_DIALECTS_KERNEL_LAYOUTS_PAIRING_H
#define WEIR_DIALECTS_KERNEL_LAYOUTS_PAIRING_H

#include "dialects/kernel/Layout.h"

namespace weir::kernel {

/// Whether any panel of the weights, of f32, is eligible for pairing, and no
/// sum of a column overflows or is less exact because of correction terms.
bool suitsPairing(const WeightsSource &weights);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUTS_PAIRING_H

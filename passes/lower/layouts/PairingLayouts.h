// Which products and convolutions use inner-product pairing.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_PAIRINGLAYOUTS_H
#define WEIR_PASSES_LOWER_LAYOUTS_PAIRINGLAYOUTS_H

#include "passes/lower/layouts/Readers.h"

namespace weir::lower {

/// Whether pairing saves time for the kernel that reads the panels of `pack`.
/// If they are not those of a constant, each run scales and tests them.
bool isWorthPairing(kernel::PackOpInterface pack, bool isConstant);

/// Has the weights that `pack` packs, and the kernel that reads them, use the
/// layout for pairing. A convolution by windows of one element, all inside,
/// becomes a product. Returns the new pack.
kernel::PackOpInterface pairConstant(kernel::PackOpInterface pack);

/// The same for a product by weights that each run packs. A transposed left
/// side is transposed back first.
void pairAtRun(kernel::PackOp pack);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_PAIRINGLAYOUTS_H

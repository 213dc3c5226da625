// The checks that the layouts for tile registers share.

#ifndef WEIR_DIALECTS_KERNEL_LAYOUTS_AMX_H
#define WEIR_DIALECTS_KERNEL_LAYOUTS_AMX_H

#include "dialects/kernel/Layout.h"

namespace weir::kernel {

/// Columns of a block of tiles, of which a panel has one.
inline constexpr int64_t amxWidth = 32;

/// Whether the numbers are a split and a range of exponents of normal numbers.
bool areSplitAndRange(llvm::ArrayRef<int64_t> numbers);

/// Whether such a kernel has one right side and a left side as tiles read it,
/// or a pack writes such a right side.
bool multipliesByTiles(const LayoutUser &user);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUTS_AMX_H

// The shape and the packing of panels, for all layouts that are made of them.

#ifndef WEIR_DIALECTS_KERNEL_LAYOUTS_PANELS_H
#define WEIR_DIALECTS_KERNEL_LAYOUTS_PANELS_H

#include "dialects/kernel/Layout.h"

namespace weir::kernel {

/// The shape of panels of `width` columns.
llvm::SmallVector<int64_t> panelsShape(const WeightsShape &weights,
                                       int64_t width);

/// Writes panels of `width` columns, of elements with so many bytes. `to` is
/// zero before.
void packPanels(const WeightsSource &from, int64_t width, int64_t bytes,
                char *to);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUTS_PANELS_H

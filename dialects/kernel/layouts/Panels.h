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

/// The shape of panels of `width` columns whose rows are interleaved by
/// `unit`.
llvm::SmallVector<int64_t> interleavedShape(const WeightsShape &weights,
                                            int64_t width, int64_t unit);

/// Writes such panels, of elements with 1, 2 or 4 bytes. `to` is zero before.
void packInterleaved(const WeightsSource &from, int64_t width, int64_t unit,
                     int64_t bytes, char *to);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_LAYOUTS_PANELS_H

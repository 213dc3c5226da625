// The width of panels, and the K-major layout.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_PANELWIDTHS_H
#define WEIR_PASSES_LOWER_LAYOUTS_PANELWIDTHS_H

#include "passes/lower/layouts/Readers.h"

namespace weir::lower {

/// Decides whether the weights of `pack`, which is plain, stay plain or get
/// panels or the K-major layout, by the kernel that reads them alone.
/// Transformed filters get the width of their panels.
void choosePanels(kernel::PackOpInterface pack);

/// Narrows the panels of constants that only products of few rows read.
void narrowPanels(mlir::ModuleOp module);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_PANELWIDTHS_H

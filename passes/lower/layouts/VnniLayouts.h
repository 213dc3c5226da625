// Which constant weights of bytes get the VNNI layout, for dot products of
// bytes.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_VNNILAYOUTS_H
#define WEIR_PASSES_LOWER_LAYOUTS_VNNILAYOUTS_H

#include "passes/lower/layouts/Readers.h"

#include <optional>

namespace weir::lower {

/// The VNNI layout of constant weights that `pack` packs. There is none if the
/// kernel cannot read it, or the target has no such dot products.
std::optional<kernel::LayoutAttr> vnniLayoutOf(kernel::PackOpInterface pack);

/// Packs the filter of a depthwise convolution of bytes, which `flatten` gives
/// its shape, in the VNNI layout. Returns null if that is not possible.
kernel::PackOpInterface packDepthwise(mlir::Operation *flatten);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LAYOUTS_VNNILAYOUTS_H

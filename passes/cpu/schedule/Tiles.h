// Chooses how weights in a layout for tile registers are multiplied.

#ifndef WEIR_PASSES_CPU_SCHEDULE_TILES_H
#define WEIR_PASSES_CPU_SCHEDULE_TILES_H

#include "dialects/kernel/schedule/tiles/TilesShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

/// The schedule of a product or a convolution by tile registers, or by dot
/// products of the same layout. `fixed` are parameters that are not chosen,
/// with their values in `given`; null for none.
kernel::TilesSchedule chooseTiles(const kernel::TilesShape &shape,
                                  const KernelContext &context,
                                  const kernel::Target &target,
                                  const kernel::TilesSchedule &given = {},
                                  mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_TILES_H

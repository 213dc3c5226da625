// Chooses how windows are computed whose tiles are results of a line.

#ifndef WEIR_PASSES_CPU_SCHEDULE_LINE_H
#define WEIR_PASSES_CPU_SCHEDULE_LINE_H

#include "dialects/kernel/schedule/LineShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

/// The schedule of a depthwise convolution, a pool, or a convolution whose
/// filter has the K-major layout. `fixed` are parameters that are not chosen,
/// with their values in `given`; null for none.
kernel::LineSchedule chooseLine(const kernel::LineShape &shape,
                                const KernelContext &context,
                                const kernel::Target &target,
                                const kernel::LineSchedule &given = {},
                                mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_LINE_H

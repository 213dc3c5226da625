// Chooses how a product in the K-major layout is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE_DOT_H
#define WEIR_PASSES_CPU_SCHEDULE_DOT_H

#include "dialects/kernel/schedule/dot/DotShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

/// The schedule of a product whose right side has the K-major layout. `fixed`
/// are parameters that are not chosen, with their values in `given`; null for
/// none.
kernel::DotSchedule chooseDot(const kernel::DotShape &shape,
                              const KernelContext &context,
                              const kernel::Target &target,
                              const kernel::DotSchedule &given = {},
                              mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_DOT_H

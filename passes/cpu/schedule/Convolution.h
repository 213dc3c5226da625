// Chooses how vector code computes a convolution.

#ifndef WEIR_PASSES_CPU_SCHEDULE_CONVOLUTION_H
#define WEIR_PASSES_CPU_SCHEDULE_CONVOLUTION_H

#include "dialects/kernel/schedule/ConvolutionShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

/// The schedule of a convolution. `fixed` are parameters that are not chosen,
/// with their values in `given`; null for none.
kernel::ConvolutionSchedule
chooseConvolution(const kernel::ConvolutionShape &shape,
                  const KernelContext &context, const kernel::Target &target,
                  const kernel::ConvolutionSchedule &given = {},
                  mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_CONVOLUTION_H

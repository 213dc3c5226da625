// Chooses how a Winograd convolution is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE_WINOGRAD_H
#define WEIR_PASSES_CPU_SCHEDULE_WINOGRAD_H

#include "dialects/kernel/schedule/winograd/WinogradShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

struct WinogradContext : KernelContext {
  /// Whether the convolution may transform panels of its filter itself: only it
  /// reads the result of a kernel.transform_filter before it.
  bool mayTransform;
  /// Whether results have a dynamic size. The products are then conditional.
  bool isDynamic;

  static WinogradContext of(kernel::WinogradOp op);
};

/// The schedule of a Winograd convolution. `fixed` are parameters that are not
/// chosen, with their values in `given`; null for none.
kernel::WinogradSchedule
chooseWinograd(const kernel::WinogradShape &shape,
               const WinogradContext &context, const kernel::Target &target,
               const kernel::WinogradSchedule &given = {},
               mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_WINOGRAD_H

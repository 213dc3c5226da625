// The attributes of the kernel dialect in C++: layouts and schedules.

#ifndef WEIR_DIALECTS_KERNEL_ATTRIBUTES_H
#define WEIR_DIALECTS_KERNEL_ATTRIBUTES_H

#include "dialects/kernel/schedule/Algorithms.h"
#include "dialects/kernel/schedule/ConvolutionSchedule.h"
#include "dialects/kernel/schedule/LineSchedule.h"
#include "dialects/kernel/schedule/MatmulSchedule.h"
#include "dialects/kernel/schedule/dot/DotSchedule.h"
#include "dialects/kernel/schedule/pairing/PairingSchedule.h"
#include "dialects/kernel/schedule/tiles/TilesSchedule.h"
#include "dialects/kernel/schedule/winograd/WinogradSchedule.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"

#include <array>

namespace weir::kernel {

/// The memory formats of weights.
enum class LayoutKind {
#define WEIR_LAYOUT(kind, name) kind,
#include "dialects/kernel/Layouts.def"
};

class LayoutFormat;

} // namespace weir::kernel

#include "dialects/kernel/ScheduleInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.h.inc"

#endif // WEIR_DIALECTS_KERNEL_ATTRIBUTES_H

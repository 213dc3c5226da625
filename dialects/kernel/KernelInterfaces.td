// What the CPU stage asks of a kernel op without knowing which it is.

#ifndef WEIR_DIALECTS_KERNEL_INTERFACES
#define WEIR_DIALECTS_KERNEL_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

#endif // WEIR_DIALECTS_KERNEL_INTERFACES

// The interface by which stages after plan query the plan's ops.

#ifndef WEIR_DIALECTS_PLAN_INTERFACES
#define WEIR_DIALECTS_PLAN_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

#endif // WEIR_DIALECTS_PLAN_INTERFACES

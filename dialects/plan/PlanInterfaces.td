// The interface by which the stages after planning query ops of the plan.

#ifndef WEIR_DIALECTS_PLAN_INTERFACES
#define WEIR_DIALECTS_PLAN_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

#endif // WEIR_DIALECTS_PLAN_INTERFACES

// What the stages after planning ask of an op of the plan.

#ifndef WEIR_DIALECTS_PLAN_INTERFACES
#define WEIR_DIALECTS_PLAN_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

#endif // WEIR_DIALECTS_PLAN_INTERFACES

// What emission reads of an entry once it is a plan.

#ifndef WEIR_PASSES_PLAN_SIGNATURE_H
#define WEIR_PASSES_PLAN_SIGNATURE_H

#include "dialects/plan/Plan.h"
#include "dialects/weir/Records.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// The entry's row of `weir.entries`: its name, the program that it has become,
/// its tensors, and what it does with variables.
EntryAttr describeEntry(mlir::func::FuncOp entry, mlir::StringAttr name,
                        plan::ProgramOp program);

} // namespace weir

#endif // WEIR_PASSES_PLAN_SIGNATURE_H

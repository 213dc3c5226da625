// Describes a planned entry for the stage emit.

#ifndef WEIR_PASSES_PLAN_SIGNATURE_H
#define WEIR_PASSES_PLAN_SIGNATURE_H

#include "dialects/plan/Plan.h"
#include "dialects/weir/Records.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::plan {

/// The entry's element of `weir.entries`: its name, its program, its tensors,
/// and the variables that it reads and assigns.
EntryAttr describeEntry(mlir::func::FuncOp entry, mlir::StringAttr name,
                        plan::ProgramOp program);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_SIGNATURE_H

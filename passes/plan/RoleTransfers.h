// Proves that the messages of all roles of a cluster end.

#ifndef WEIR_PASSES_PLAN_ROLETRANSFERS_H
#define WEIR_PASSES_PLAN_ROLETRANSFERS_H

#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/plan/Transfers.h"

namespace weir::plan {

/// Fails, with a diagnostic, unless each message of these modules, one for each
/// role, has one sender and one receiver of one type. After the stage plan it
/// executes the messages of each entry for all ranks, and fails if one waits
/// for ever.
mlir::LogicalResult checkRoles(llvm::ArrayRef<mlir::ModuleOp> roles);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_ROLETRANSFERS_H

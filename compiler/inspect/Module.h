// What a module says of itself, at any stage.

#ifndef WEIR_COMPILER_INSPECT_MODULE_H
#define WEIR_COMPILER_INSPECT_MODULE_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// The description of a module of any stage.
llvm::json::Object describeModule(mlir::ModuleOp module);
/// The functions that are the product's, with their inputs and outputs.
llvm::json::Array describeSignatures(mlir::ModuleOp module);
/// The plan that a module of stage `plan` or later holds; nothing before.
std::optional<llvm::json::Object> describePlan(mlir::ModuleOp module);
/// In which order a program's tasks run, and which of them at once.
llvm::json::Object describeSchedule(plan::ProgramOp program);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_MODULE_H

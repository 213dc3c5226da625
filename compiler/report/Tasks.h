// Which group, kernel and time a task of the report has.

#ifndef WEIR_COMPILER_REPORT_TASKS_H
#define WEIR_COMPILER_REPORT_TASKS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// Adds the name of the kernel to each of the groups, from a module of stage
/// `lower`, where tasks have replaced them.
void nameKernels(llvm::json::Array &groups, mlir::ModuleOp module);

/// Adds the number of its group to each task of a plan.
void findGroups(llvm::json::Object &plan, const llvm::json::Array &signatures,
                const llvm::json::Array &groups);

/// What is wrong with a profile, as `weir-run --profile=FILE.json` writes it,
/// in words; empty where nothing is.
std::string whatIsWrong(const llvm::json::Value &profile);

/// Adds the calls and the time of a profile to each task and copy of a plan.
/// An error names the first task that differs.
llvm::Error addTimes(llvm::json::Object &plan,
                     const llvm::json::Array &signatures,
                     const llvm::json::Object &profile);

/// What a report says of a profile as a whole.
llvm::json::Object summaryOf(const llvm::json::Object &profile,
                             llvm::StringRef path);

} // namespace weir

#endif // WEIR_COMPILER_REPORT_TASKS_H

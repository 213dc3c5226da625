// Schedules of kernels outside of the IR: the file of --schedule, and reports.

#ifndef WEIR_COMPILER_SCHEDULES_SCHEDULES_H
#define WEIR_COMPILER_SCHEDULES_SCHEDULES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// The overrides that a text in JSON lists: an array of entries, or an object
/// (such as a report) with that array as `schedules`. An error states the entry
/// and its fault.
llvm::Expected<mlir::ArrayAttr> parseSchedules(mlir::MLIRContext *context,
                                               llvm::StringRef text);

/// Checks that each override of a module whose kernels have schedules applies
/// to at least one kernel, and removes the overrides.
mlir::LogicalResult finishOverrides(mlir::ModuleOp module);

/// The schedules of a module's kernels, as entries that `parseSchedules` reads.
/// They also have the kernel's function, layout and expected cycles.
llvm::json::Array describeKernelSchedules(mlir::ModuleOp module);

/// One such entry.
llvm::json::Object describeKernelSchedule(mlir::Operation *kernel);

} // namespace weir

#endif // WEIR_COMPILER_SCHEDULES_SCHEDULES_H

// Lowers the tasks of a plan to calls that issue them to a stream of the GPU.

#ifndef WEIR_PASSES_ENTRY_ISSUING_H
#define WEIR_PASSES_ENTRY_ISSUING_H

#include "passes/entry/LaunchTable.h"
#include "passes/entry/TaskTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weir::entry {

/// The runtime's functions that issue work.
struct Runtime {
  mlir::ModuleOp module;

  /// The function of that name, which returns an i32.
  mlir::LLVM::LLVMFuncOp get(llvm::StringRef name,
                             llvm::ArrayRef<mlir::Type> arguments);
};

/// Whether the host waits for a value from the device.
bool readsBack(mlir::Operation *op, bool stops);

/// Lowers tasks to the body of a function of (arena, weights, tensors, stream,
/// state); without variables it has no state. The function returns 0, or the
/// first status of the runtime that is not 0. If it `stops`, a failed check
/// ends it.
void issueTasks(mlir::LLVM::LLVMFuncOp function,
                llvm::ArrayRef<mlir::Operation *> tasks, Runtime runtime,
                const LaunchTable &kernels, TaskTable &table, bool stops);

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_ISSUING_H

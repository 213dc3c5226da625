// The kernels of a module for a GPU: their numbers and how they are launched.

#ifndef WEIR_PASSES_ENTRY_LAUNCHTABLE_H
#define WEIR_PASSES_ENTRY_LAUNCHTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

class LaunchTable {
public:
  struct Row {
    int64_t number;          // in the module's weir.gpu_kernels
    int64_t blocks, threads; // of the grid, and of each block
    int64_t shared;          // bytes that each launch asks for
  };

  /// Reads `weir.gpu_kernels` and the module of kernels, in LLVM's dialect by
  /// now, and marks these as entries of the device's; reports what is missing.
  mlir::LogicalResult read(mlir::ModuleOp module);

  Row lookup(llvm::StringRef kernel) const { return rows.lookup(kernel); }

  /// The most threads of a block whose threads wait for each other; 0: none do.
  int64_t mostMeeting() const { return meeting; }

private:
  llvm::StringMap<Row> rows;
  int64_t meeting = 0;
};

} // namespace weir

#endif

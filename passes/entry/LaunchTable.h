// The numbers and launch parameters of a module's GPU kernels.

#ifndef WEIR_PASSES_ENTRY_LAUNCHTABLE_H
#define WEIR_PASSES_ENTRY_LAUNCHTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weir::entry {

class LaunchTable {
public:
  struct Row {
    int64_t number;          // its index in the module's weir.gpu_kernels
    int64_t blocks, threads; // in the grid, and in each block
    int64_t shared;          // bytes of shared memory to request at launch
  };

  /// Reads `weir.gpu_kernels` and the module of kernels, which is in the LLVM
  /// dialect, and marks these as entries of the device. Reports missing kernels
  /// as errors.
  mlir::LogicalResult read(mlir::ModuleOp module);

  /// Reports as errors the runs of kernels that the table lacks, and calls of a
  /// library with operands that their run lacks.
  mlir::LogicalResult verifyRuns(mlir::ModuleOp module) const;

  /// The row of a kernel that the table contains.
  Row lookup(llvm::StringRef kernel) const { return rows.lookup(kernel); }

  /// The largest number of threads of a block with barriers; 0 if no block has
  /// one.
  int64_t maxBarrierThreads() const { return barrierThreads; }

private:
  llvm::StringMap<Row> rows;
  int64_t barrierThreads = 0;
};

} // namespace weir::entry

#endif

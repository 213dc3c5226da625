// The tile registers of Intel AMX, as one kernel uses all eight: by number.

#ifndef WEIR_PASSES_CPU_KERNELS_TILEREGISTERS_H
#define WEIR_PASSES_CPU_KERNELS_TILEREGISTERS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// Rows of each register are of 64 bytes. Memory is that from the first element
/// at some leading indices of a buffer without gaps.
struct TileRegisters {
  Emitter &e;

  /// Before the first use and after the last. Registers 0 to 5 have `height`
  /// rows, the others 16.
  void configure(int64_t height);
  void release();

  void zero(int tile);
  /// Rows of memory are `stride` bytes apart.
  void load(int tile, mlir::Value buffer, mlir::ValueRange leading,
            int64_t stride = 64);
  void store(int tile, mlir::Value buffer, mlir::ValueRange leading,
             int64_t stride = 64);
  /// Adds the products of pairs of bf16, or of fours of i8.
  void multiply(bool bytes, int sum, int left, int right);

private:
  void intrinsic(llvm::StringRef name, mlir::ValueRange arguments);
  mlir::Value number(int tile);
  mlir::Value address(mlir::Value buffer, mlir::ValueRange leading);
  void move(llvm::StringRef name, int tile, mlir::Value buffer,
            mlir::ValueRange leading, int64_t stride);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_TILEREGISTERS_H

// A linalg op on buffers, confined to a box of its loops.

#ifndef WEIR_PASSES_CPU_LOOPS_SLICES_H
#define WEIR_PASSES_CPU_LOOPS_SLICES_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/Nests.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir {

/// Whether the slices of an op's operands are boxes: its indices are sums of
/// multiples of loops.
bool isSliceable(mlir::linalg::LinalgOp op);

/// Loops `first` to before `first + size`; the whole loop where `size` is 0.
struct LoopSlice {
  mlir::OpFoldResult first;
  int64_t size = 0;
};

/// A copy of the op for these slices of its first loops. What `instead` gives
/// for an operand takes the place of the operand's slice.
void makeSlice(Emitter &e, mlir::linalg::LinalgOp op,
               llvm::ArrayRef<LoopSlice> slices,
               llvm::function_ref<mlir::Value(mlir::Value)> instead = nullptr);

/// Rows of a block: at most `most`, if possible a divisor of all `rows`, else
/// so that the last block has about as many.
int64_t rowsOfBlock(int64_t rows, int64_t most);
/// Emits `body` for so many rows as block `index` has: `size`, but for the
/// last.
void emitBlock(Emitter &e, mlir::Value index, int64_t rows, int64_t size,
               llvm::function_ref<void(int64_t)> body);
/// The first `count` of a buffer along dimension `dim`.
mlir::Value firstOf(Emitter &e, mlir::Value buffer, size_t dim, int64_t count);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_SLICES_H

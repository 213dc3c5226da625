// Restricts a linalg op on buffers to a box of its loops.

#ifndef WEIR_PASSES_CPU_LOOPS_SLICES_H
#define WEIR_PASSES_CPU_LOOPS_SLICES_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/Nests.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::cpu {

/// Whether the slices of an op's operands are boxes, because its indices are
/// linear in the loops.
bool isSliceable(mlir::linalg::LinalgOp op);

/// Iterations `first` to before `first + size`; the whole loop if `size` is 0.
struct LoopSlice {
  mlir::OpFoldResult first;
  int64_t size = 0;
};

/// Clones the op for these slices of its first loops. `instead` may return a
/// replacement for an operand's slice.
void makeSlice(Emitter &e, mlir::linalg::LinalgOp op,
               llvm::ArrayRef<LoopSlice> slices,
               llvm::function_ref<mlir::Value(mlir::Value)> instead = nullptr);

/// The rows of a block: at most `most`, and a divisor of `rows` if possible.
/// Otherwise the last block has nearly as many rows.
int64_t rowsOfBlock(int64_t rows, int64_t most);
/// Emits `body` for the number of rows of block `index`: `size`, except in the
/// last block.
void emitBlock(Emitter &e, mlir::Value index, int64_t rows, int64_t size,
               llvm::function_ref<void(int64_t)> body);
/// The first `count` elements of a buffer along dimension `dim`.
mlir::Value firstOf(Emitter &e, mlir::Value buffer, size_t dim, int64_t count);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_SLICES_H

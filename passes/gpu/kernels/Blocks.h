// Work that the threads of a block share.

#ifndef WEIR_PASSES_GPU_KERNELS_BLOCKS_H
#define WEIR_PASSES_GPU_KERNELS_BLOCKS_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::gpu {

/// Builds the body of a loop nest: from the indices and the last values of the
/// results to their new values.
using NestBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    llvm::ArrayRef<mlir::Value> at, mlir::ValueRange last)>;

/// Whether the nest reduces long rows to one element each, by an associative
/// and commutative op.
bool isRowReduction(mlir::linalg::LinalgOp op);
/// Computes each row by a block; the op stays.
void shareRows(ThreadBuilder &b, mlir::linalg::LinalgOp op, NestBody nest);

/// The op with two operands, in any order, that combines result `i` of the nest
/// with its last value. Null if there is none, if the last value has other
/// uses, or if its elements do not have 32 bits, as shuffles need.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned i);
/// The neutral element of the combiner.
mlir::TypedAttr identityOf(mlir::Operation *combiner);
mlir::Value combine(ThreadBuilder &b, mlir::Operation *combiner, mlir::Value x,
                    mlir::Value y);
/// Combines the values of all threads of a block, whose number is a power of
/// two. Each thread gets the result.
mlir::Value combineBlock(ThreadBuilder &b, mlir::Operation *combiner,
                         mlir::Value value, mlir::Value thread,
                         int64_t threads);

/// Fuses consecutive loop nests over the same rows if one of them reduces rows.
/// A block of threads then computes a row at a time, and intermediate results
/// stay in registers.
void fuseRows(mlir::func::FuncOp kernel);

/// The operand that an elementwise nest reads along another dimension than it
/// writes, if the nest is large enough to transpose by blocks; else null.
mlir::OpOperand *transposedOperand(mlir::linalg::LinalgOp op);
/// Transposes each square of the operand by a block of threads; the op stays.
void shareTranspose(ThreadBuilder &b, mlir::linalg::LinalgOp op,
                    mlir::OpOperand &operand);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_BLOCKS_H

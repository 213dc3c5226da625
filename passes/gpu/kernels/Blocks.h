// What the threads of a block do together.

#ifndef WEIR_PASSES_GPU_KERNELS_BLOCKS_H
#define WEIR_PASSES_GPU_KERNELS_BLOCKS_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::gpu {

/// The body of a loop nest: what it yields at the indices, given the results'
/// last values.
using NestBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    llvm::ArrayRef<mlir::Value> at, mlir::ValueRange last)>;

/// Whether the nest reduces long rows to one element each, by an op that may be
/// applied in any order.
bool isRowReduction(mlir::linalg::LinalgOp op);
/// A block for each row; the op stays.
void shareRows(ThreadBuilder &b, mlir::linalg::LinalgOp op, NestBody nest);

/// The op, of two operands and in any order, by which result number `i` of the
/// nest is combined with its last value, which nothing else uses; null: there
/// is none, or not for what threads exchange, values of 32 bits.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned i);
/// What the combiner leaves every value as it is with.
mlir::TypedAttr identityOf(mlir::Operation *combiner);
mlir::Value combine(ThreadBuilder &b, mlir::Operation *combiner, mlir::Value x,
                    mlir::Value y);
/// The values of all threads of a block, a power of two of them, combined; each
/// thread gets the same.
mlir::Value combineBlock(ThreadBuilder &b, mlir::Operation *combiner,
                         mlir::Value value, mlir::Value thread,
                         int64_t threads);

/// Brings loop nests that follow each other over the same rows together, where
/// one reduces the rows: a block of threads then does a row at a time, and what
/// a nest leaves for the next stays in its registers.
void fuseRows(mlir::func::FuncOp kernel);

/// The operand that an elementwise nest reads along another dimension than it
/// writes, if there is one and the nest is large enough for squares; else null.
mlir::OpOperand *transposedOperand(mlir::linalg::LinalgOp op);
/// A block for each square of the operand; the op stays.
void shareTranspose(ThreadBuilder &b, mlir::linalg::LinalgOp op,
                    mlir::OpOperand &operand);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_BLOCKS_H

// The run-time sizes of a kernel's results.

#ifndef WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H
#define WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/graph/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weir::cpu {

/// The sizes of each result with dynamic dimensions, by the argument that is
/// its buffer. A symbol is the index of the i64 argument with the size.
llvm::DenseMap<mlir::Value, graph::SizesOfDims>
dynamicResults(mlir::func::FuncOp kernel);

/// The sizes of a view of a buffer with these sizes. Merged dimensions become
/// factors.
graph::SizesOfDims collapsed(mlir::memref::CollapseShapeOp view,
                             const graph::SizesOfDims &source);

/// Loads the integer in a scalar, a memref<i64>, as an index.
mlir::Value readSize(mlir::OpBuilder &b, mlir::Location at, mlir::Value scalar);

/// The run-time size of a dimension of a result, at most its bound, loaded at
/// the insertion point. Null for a static dimension, and for a buffer that is
/// not a result.
mlir::Value actualSize(Emitter &e, mlir::Value buffer, int64_t dim);

/// The actual number of columns between the products of an attention, of whose
/// first product `op` is, read where the emitter is; null where nothing ends
/// them.
mlir::Value actualColumns(Emitter &e, kernel::MatmulOp op);

/// The number of terms of each sum, at most all, loaded at the insertion point.
/// Null if it is static.
mlir::Value actualDepth(Emitter &e, kernel::MatmulOp op);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H

// What a kernel knows of the actual sizes of its results.

#ifndef WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H
#define WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/graph/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weir {

/// The sizes of each result of dynamic size, by the argument that is its
/// buffer. A symbol is the number of the argument, an i64, that is the size.
llvm::DenseMap<mlir::Value, graph::SizesOfDims>
dynamicResults(mlir::func::FuncOp kernel);

/// The sizes of a view of a buffer of these sizes: dimensions that became one
/// are its factors.
graph::SizesOfDims collapsed(mlir::memref::CollapseShapeOp view,
                             const graph::SizesOfDims &source);

/// The number that a scalar, a memref<i64>, holds, as an index.
mlir::Value readSize(mlir::OpBuilder &b, mlir::Location at, mlir::Value scalar);

/// The actual size of a dimension of a result of the kernel that the emitter is
/// in, at most its bound, read where the emitter is; null where the bound is
/// the size, or the buffer is no result.
mlir::Value actualSize(Emitter &e, mlir::Value buffer, int64_t dim);

/// The actual number of columns between the products of an attention, of whose
/// first product `op` is, read where the emitter is; null where nothing ends
/// them.
mlir::Value actualColumns(Emitter &e, kernel::MatmulOp op);

/// How many terms of each sum count, at most all, read where the emitter is;
/// null where all do.
mlir::Value actualDepth(Emitter &e, kernel::MatmulOp op);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_ACTUALSIZES_H

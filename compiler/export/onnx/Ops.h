// Writers of the ops of the graph dialect, by family.

#ifndef WEIR_COMPILER_EXPORT_ONNX_OPS_H
#define WEIR_COMPILER_EXPORT_ONNX_OPS_H

#include "compiler/export/onnx/Writer.h"

namespace weir::to_onnx {

using WriteOp = llvm::LogicalResult (*)(Writer &, mlir::Operation *);
using OpWriters = llvm::StringMap<WriteOp>;

/// Adds the writer of an op.
template <typename Op, llvm::LogicalResult (*write)(Writer &, Op)>
void addWriter(OpWriters &writers) {
  writers[Op::getOperationName()] = [](Writer &w, mlir::Operation *op) {
    return write(w, mlir::cast<Op>(op));
  };
}

void addControl(OpWriters &writers);
void addIndex(OpWriters &writers);
void addNeural(OpWriters &writers);
void addPadded(OpWriters &writers);
void addReduce(OpWriters &writers);
void addScatter(OpWriters &writers);
void addShape(OpWriters &writers);
void addState(OpWriters &writers);

/// Whether ONNX has the elementwise op only since opset 18.
bool isOfOpset18(mlir::Operation *op);
/// An op with the same name in ONNX, or with a formula of elementwise nodes.
llvm::LogicalResult writeElementwise(Writer &w, mlir::Operation *op);

/// The negative of each element.
Tensor negated(Writer &w, Tensor x);

/// Whether the value is a constant and all its elements are in their range. The
/// last dimension goes through the limits.
bool areInRange(mlir::Value indices, llvm::ArrayRef<int64_t> limits);

/// The indices of a dimension of this size, limited to it.
Tensor indicesOf(Writer &w, mlir::Value value, int64_t size);

/// Writes the ops of a block that its terminator needs.
void writeOps(Writer &w, mlir::Block &block);

} // namespace weir::to_onnx

#endif // WEIR_COMPILER_EXPORT_ONNX_OPS_H

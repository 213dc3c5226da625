// One iteration of a loop nest on buffers: its operands and its results.

#ifndef WEIR_PASSES_GPU_KERNELS_NEST_H
#define WEIR_PASSES_GPU_KERNELS_NEST_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::gpu {

class Nest {
public:
  Nest(ThreadBuilder &b, mlir::linalg::LinalgOp op);

  /// The indices of the operand's element in this iteration.
  llvm::SmallVector<mlir::Value> indices(mlir::OpOperand &operand);
  /// Loads that element; a scalar operand is its own element.
  mlir::Value load(mlir::OpOperand &operand);
  /// Stores results at the present indices.
  void store(mlir::ValueRange values);

  /// Computes the results of this iteration. `operand` returns the element of
  /// an input. A result's last value may be null if the body does not use it.
  llvm::SmallVector<mlir::Value>
  compute(llvm::ArrayRef<mlir::Value> last,
          llvm::function_ref<mlir::Value(mlir::OpOperand &)> operand);
  llvm::SmallVector<mlir::Value> compute(llvm::ArrayRef<mlir::Value> last);

  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> ranges;
  llvm::SmallVector<mlir::Value> at; // the present indices

protected:
  ThreadBuilder &b;

private:
  mlir::Value apply(mlir::AffineExpr expression);
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_NEST_H

// One round of a loop nest on memory: its operands, and what its body yields.

#ifndef WEIR_PASSES_GPU_KERNELS_NEST_H
#define WEIR_PASSES_GPU_KERNELS_NEST_H

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::gpu {

class Nest {
public:
  Nest(ThreadBuilder &b, mlir::linalg::LinalgOp op);

  /// Where the operand has its element of the present indices.
  llvm::SmallVector<mlir::Value> indices(mlir::OpOperand &operand);
  /// That element; a scalar operand is its own.
  mlir::Value load(mlir::OpOperand &operand);
  /// Stores results at the present indices.
  void store(mlir::ValueRange values);

  /// The body's results at the present indices; `operand` gives an input's
  /// element. The last value of a result may be null where the body does not
  /// use it.
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

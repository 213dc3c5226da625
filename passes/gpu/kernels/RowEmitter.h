// Emits the work of one thread on a row, nest by nest.

#ifndef WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H
#define WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H

#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/Nest.h"

namespace weir::gpu {

int64_t product(llvm::ArrayRef<int64_t> sizes);

class RowEmitter {
public:
  /// Emits for a block of `threads`. If the row `isLong`, elements are stored
  /// between nests, and only reduced values stay in registers.
  RowEmitter(ThreadBuilder &b, llvm::ArrayRef<int64_t> rows,
             llvm::ArrayRef<int64_t> columns, int64_t threads, bool isLong,
             mlir::Value row, mlir::Value thread);

  /// `isOwn` tells which memory only the nests use.
  void emit(mlir::linalg::LinalgOp op,
            llvm::function_ref<bool(mlir::Value)> isOwn);
  /// Stores the reduced values of rows.
  void finish();

private:
  /// The indices of an element of the row.
  llvm::SmallVector<mlir::Value> indicesOf(mlir::Value element);
  bool isRow(mlir::linalg::LinalgOp op, mlir::OpOperand &init);
  mlir::Value element(Nest &nest, mlir::OpOperand &operand, size_t j);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// Computes the nest at the thread's elements in registers. `last` receives
  /// the reduced values.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  unrolled(Nest &nest, llvm::SmallVector<mlir::Value> &last, bool overColumns);
  /// As above in a loop, which stores each element.
  void looped(Nest &nest, llvm::SmallVector<mlir::Value> &last);

  ThreadBuilder &b;
  llvm::SmallVector<int64_t> columns;
  int64_t threads;
  bool isLong;
  mlir::Value thread;
  llvm::SmallVector<mlir::Value> rowAt;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
      at; // the indices of each of the thread's elements
  llvm::SmallVector<mlir::Value> inside; // null: always true
  llvm::SmallDenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> held;
  llvm::SetVector<mlir::Value> rowResults;
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H

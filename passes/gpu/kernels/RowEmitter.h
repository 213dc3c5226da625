// What one thread does for a row, nest by nest.

#ifndef WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H
#define WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H

#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/Nest.h"

namespace weir::gpu {

int64_t product(llvm::ArrayRef<int64_t> sizes);

class RowEmitter {
public:
  /// Of a block of `threads`. Where the row `isLong`, elements stay in memory
  /// from nest to nest, and only what the row is reduced to in registers.
  RowEmitter(ThreadBuilder &b, llvm::ArrayRef<int64_t> rows,
             llvm::ArrayRef<int64_t> columns, int64_t threads, bool isLong,
             mlir::Value row, mlir::Value thread);

  /// `isOwn` says which memory nothing but the nests needs.
  void emit(mlir::linalg::LinalgOp op,
            llvm::function_ref<bool(mlir::Value)> isOwn);
  /// Stores what rows are reduced to.
  void finish();

private:
  /// The indices of an element of the row.
  llvm::SmallVector<mlir::Value> indicesOf(mlir::Value element);
  bool isRow(mlir::linalg::LinalgOp op, mlir::OpOperand &init);
  mlir::Value element(Nest &nest, mlir::OpOperand &operand, size_t j);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// The nest at its elements, in registers: what it leaves of each, and in
  /// `last` of those that are reduced.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  unrolled(Nest &nest, llvm::SmallVector<mlir::Value> &last, bool overColumns);
  /// The same in a loop, which stores what it leaves of each.
  void looped(Nest &nest, llvm::SmallVector<mlir::Value> &last);

  ThreadBuilder &b;
  llvm::SmallVector<int64_t> columns;
  int64_t threads;
  bool isLong;
  mlir::Value thread;
  llvm::SmallVector<mlir::Value> rowAt;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
      at;                                // of each of the thread's elements
  llvm::SmallVector<mlir::Value> inside; // null: it surely is
  llvm::SmallDenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> held;
  llvm::SetVector<mlir::Value> rowResults;
};

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ROWEMITTER_H

// An attention in a kernel on buffers: two products and the loops between them.

#ifndef WEIR_PASSES_CPU_KERNELS_ATTENTION_H
#define WEIR_PASSES_CPU_KERNELS_ATTENTION_H

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace weir {

/// A product, loops over its rows, and a product of what these make, where each
/// row is made of the same row before.
class Attention {
public:
  explicit Attention(kernel::MatmulOp last) : last(last) {}

  /// Finds the rest of what ends in `last`; false where that is no attention.
  bool find();

  /// The buffer in whose place `buffer` is: an element of one is read only
  /// where that of the other is written, for the last time.
  mlir::Value held(mlir::Value buffer) const {
    mlir::Value by = heldBy.lookup(buffer);
    return by ? by : buffer;
  }

  static bool isOwn(mlir::Value buffer) {
    return buffer.getDefiningOp<mlir::memref::AllocOp>() != nullptr;
  }

  kernel::MatmulOp first, last;
  mlir::SmallVector<mlir::linalg::LinalgOp> loops; // between them
  mlir::SmallVector<int64_t> rows;  // batches, and the rows of each
  llvm::SetVector<mlir::Value> own; // what the rows in between are in

private:
  bool take(mlir::Operation *op);
  bool takeLoop(mlir::linalg::LinalgOp op);
  void mergeBuffers();

  mlir::DenseMap<mlir::Value, mlir::Value> heldBy;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_ATTENTION_H

// An attention in a kernel on buffers, and how a block of threads computes it.

#ifndef WEIR_PASSES_GPU_KERNELS_ATTENTION_H
#define WEIR_PASSES_GPU_KERNELS_ATTENTION_H

#include "passes/gpu/kernels/Products.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::gpu {

/// A product whose rows' softmax is the left side of another product:
/// out = epilogue(softmax(epilogue(q k^T)) v).
struct Attention {
  /// The attention that ends in `product`, if it is one whose scores nothing
  /// else needs. Creates views of what is read and written in place; they are
  /// of no use, and unused, where there is none.
  static std::optional<Attention> endingIn(kernel::MatmulOp product);

  kernel::MatmulOp scores, product;
  /// Sides of the two products as their ops describe them, unpacked: views of
  /// where the elements lie.
  mlir::Value q, k, v;
  /// Whether weights that are no numbers, which are those of a whole row, are
  /// 0.
  bool isZeroOfNaN = false;
  /// Whether the weights of a row whose scores are all -inf are 0.
  bool isMasked = false;

  /// Puts the kernel.parts at the product's place, and erases what it replaces.
  /// False, and nothing is done, where there is too little to do for blocks or
  /// too much for a block.
  bool share();

private:
  bool findSoftmax();
  mlir::Value source(mlir::Value memory, bool isPacked);
  bool readsWhatStays() const;
  void writeInPlace();
  void erase();

  llvm::SmallVector<mlir::Operation *> ops;    // the last first
  llvm::SmallVector<mlir::Operation *> copies; // that are not read any more
};

/// Computes attentions of the kernel without leaving their scores in memory.
void shareAttention(mlir::func::FuncOp kernel);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ATTENTION_H

// An attention on buffers, as blocks of threads compute it.

#ifndef WEIR_PASSES_GPU_KERNELS_ATTENTION_H
#define WEIR_PASSES_GPU_KERNELS_ATTENTION_H

#include "passes/gpu/kernels/Products.h"

#include "dialects/kernel/attention/Attention.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::gpu {

/// A product whose rows' softmax is the left side of another product:
/// out = epilogue(softmax(epilogue(q k^T)) v).
struct Attention {
  /// Replaces the op by its products and loops, which are launches of their own
  /// unless `share` succeeds. Creates views of the memory that was copied for
  /// the op; they are unused if blocks of threads cannot read it.
  explicit Attention(kernel::AttentionOp op);

  kernel::MatmulOp scores, product;
  /// Sides of the two products as their ops describe them, unpacked: views of
  /// the memory in which the elements are.
  mlir::Value q, k, v;
  /// Whether weights that are no numbers, which are those of a whole row, are
  /// 0.
  bool isZeroOfNaN = false;
  /// Whether the weights of a row whose scores are all -inf are 0.
  bool isMasked = false;

  /// Makes a kernel.parallel of the products and loops. Returns false, and
  /// changes nothing, if there is too little to do for blocks or too much for a
  /// block.
  bool share();

private:
  mlir::Value source(mlir::Value memory, bool isPacked);
  bool areOfOneType() const;
  bool readsWhatStays() const;
  void writeInPlace();
  void erase();

  bool isReadable = false; // whether blocks of threads can read q, k and v
  llvm::SmallVector<mlir::Operation *> ops;    // from the last one to the first
  llvm::SmallVector<mlir::Operation *> copies; // that are not read any more
};

/// Expands the attentions of the kernel. If `canSplit`, blocks of threads
/// compute those that they can, whose scores are then never in memory.
void shareAttentions(mlir::func::FuncOp kernel, bool canSplit);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_ATTENTION_H

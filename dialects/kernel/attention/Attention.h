// The op of a whole attention, and its form as products and loops.
//
// weir-form-attention makes the op, once, while the softmax is still an op. The
// emitters of all targets and the table of cuDNN read it.

#ifndef WEIR_DIALECTS_KERNEL_ATTENTION_ATTENTION_H
#define WEIR_DIALECTS_KERNEL_ATTENTION_ATTENTION_H

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#define GET_OP_CLASSES
#include "dialects/kernel/attention/AttentionOps.h.inc"

namespace weir::kernel {

/// An attention as two products and the loops of the softmax between them, on
/// buffers. The scores, the weights and the sums of rows are buffers of their
/// own, which nothing else reads.
struct ExpandedAttention {
  MatmulOp scores, product;
  /// Over the rows of the scores, in the order in which they run.
  llvm::SmallVector<mlir::linalg::LinalgOp> softmax;
  /// The allocations of the weights, the exponentials, their sums, the scores
  /// and the maxima. Exponentials of the type of the scores are in their
  /// buffer, and weights of the type of the exponentials in that of these. So
  /// the first of them are left out if they have none of their own.
  llvm::SmallVector<mlir::Value> buffers;
};

/// Replaces an attention on buffers by its products and loops.
ExpandedAttention expandAttention(AttentionOp op);

/// The scalar functions of a softmax, which adds up in one type of floats.
class Softmax {
public:
  Softmax(mlir::OpBuilder &b, mlir::Location loc, mlir::FloatType type,
          bool isMasked)
      : b(b), loc(loc), type(type), isMasked(isMasked) {}

  /// The maximum of no elements. With a mask it is the lowest number. So in a
  /// row of -inf alone the exponentials and their sum are 0.
  mlir::FloatAttr lowest() const;
  mlir::Value maximum(mlir::Value before, mlir::Value x) const;
  /// exp(x - largest). A NaN need not be the maximum: its row becomes NaN by
  /// its exponential.
  mlir::Value power(mlir::Value x, mlir::Value largest) const;
  /// one / sum. With a mask it is one for a sum of zero.
  mlir::Value scale(mlir::Value sum, mlir::Value zero, mlir::Value one) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::FloatType type;
  bool isMasked;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_ATTENTION_ATTENTION_H

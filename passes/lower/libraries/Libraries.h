// Kernels that a library computes too: what of them it is told, and when it is
// worth it.

#ifndef WEIR_PASSES_LOWER_LIBRARIES_LIBRARIES_H
#define WEIR_PASSES_LOWER_LIBRARIES_LIBRARIES_H

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/libraries/Libraries.h"
#include "dialects/weir/Records.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace weir::lower {

/// What is done to sums before they are stored, of what libraries do: a vector
/// of one element for each of the last dimension is added, then a tensor of the
/// result's shape, then what is negative becomes 0, and what is above `clip`
/// becomes that.
struct Epilogue {
  mlir::Value bias, residual; // null: there is none
  bool relu = false;
  std::optional<double> clip; // only of a relu

  bool isPlain() const { return !bias && !residual && !relu; }

  /// Values may be rounded to the result's type on the way. None: it is more.
  static std::optional<Epilogue> of(kernel::KernelOpInterface op);
};

/// The kernel as a product of cuBLASLt, with the numbers of the arguments
/// that are a, b and the bias, or -1; null where it is no such product, or,
/// unless forced, a small one.
GemmAttr productOf(mlir::func::FuncOp kernel, bool isForced);

/// The kernel as a convolution of cuDNN, with the numbers of the arguments
/// that are images, filter, bias and residual, or -1; null as above. The filter
/// is the kernel's pack of one column a panel, which this makes of it.
ConvAttr convolutionOf(mlir::func::FuncOp kernel, bool isForced);

/// A kernel that is such a gradient as a convolution of cuDNN, with the
/// numbers of the arguments that are images and results where others have
/// images and filter; null where it is none.
ConvAttr gradientOf(mlir::func::FuncOp kernel);

/// A kernel that is a kernel.attention as cuDNN has it, with the numbers of the
/// arguments that are q, k, v and the mask, or -1; null as for the others.
AttentionAttr attentionOf(mlir::func::FuncOp kernel, bool isForced);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LIBRARIES_LIBRARIES_H

// A convolution as cuDNN counts it, and what it is worth.

#ifndef WEIR_DIALECTS_LIBRARIES_PROBLEM_H
#define WEIR_DIALECTS_LIBRARIES_PROBLEM_H

#include "dialects/weir/Records.h"

#include <array>
#include <optional>

namespace weir::libraries {

/// What cuDNN does to the sums of a convolution before it stores them.
struct ConvolutionEnd {
  bool bias, residual, relu;
  std::optional<double> clip; // the upper bound of a relu
};

/// Images, a filter and the results of its windows, of which one is made of the
/// other two.
class Problem {
public:
  /// Images and results have channels last; of the filter only the elements are
  /// counted. The padding is what stands before the images.
  Problem(mlir::ShapedType images, mlir::ShapedType filter,
          mlir::ShapedType out, llvm::ArrayRef<int64_t> window,
          llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations,
          llvm::ArrayRef<int64_t> padding, int64_t groups);

  /// Whether the library has such a convolution: of one element type that it
  /// knows, along one or two dimensions, with sizes that it can count.
  bool isKnown;

  /// Whether the library should take less time than our kernels do.
  bool isWorthCalling() const;

  /// The convolution with such an end; without one, the gradient by the filter.
  /// `operands` are the numbers of the kernel's arguments.
  ConvAttr record(mlir::MLIRContext *context, const ConvolutionEnd *end,
                  bool isForTf32, llvm::ArrayRef<int64_t> operands) const;

  mlir::Type element() const { return out.getElementType(); }

private:
  using Pair = std::array<int64_t, 2>;

  int64_t taps() const { return window[0] * window[1]; }
  double operations() const;
  int64_t workspace() const;

  mlir::ShapedType images, filter, out;
  int64_t groups;
  Pair size, window, result, strides, dilations, low, high;
};

} // namespace weir::libraries

#endif // WEIR_DIALECTS_LIBRARIES_PROBLEM_H

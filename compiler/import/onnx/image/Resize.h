// What Resize and Upsample have in common.

#ifndef WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZE_H
#define WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZE_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// How a node resizes, the same for all dimensions.
struct Resize {
  /// Before version 11 places between pixels were rounded down where an image
  /// grows, and up where it shrinks ("away").
  llvm::StringRef mode, coordinates, rounding;
  double cubic, extrapolation;
  bool excludesOutside, antialiases;

  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

/// What says how large the result is: an operand, and whether it holds scales
/// or sizes.
struct ResizeBy {
  unsigned operand;
  bool isSizes;
};

/// How a Resize or Upsample resizes, and what says how large the result is: no
/// operand where `by.operand` is that of none, but attributes.
mlir::FailureOr<Resize> resizeOf(Node &node);
mlir::FailureOr<ResizeBy> resizedBy(Node &node);
/// The scales of an Upsample whose attributes have them.
llvm::SmallVector<double> scalesOfAttributes(Node &node);

/// One dimension, whose scale only the run knows, and its sizes before and
/// after as f64. `least` is below every scale that can give these.
struct DynamicAxis {
  int64_t dim = 0;
  Size in, out;
  Expr whole, made;
  Expr scale, begin, end;
  double least = 0;
};

/// The most taps that are written out.
constexpr int64_t maxTaps = 64;

/// The elements of the whole tensor `x`, in the node's types; `resize`
/// interpolates floats.
mlir::LogicalResult giveResized(Node &node, const Resize &resize, Expr y);
/// Operand 0 as it is computed with.
Expr resizedOperand(Node &node, const Resize &resize);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZE_H

// Resized images whose scales, or the part of them that is looked at, only the
// run knows: places and weights are computed by the run, in f64, as Resize.cpp
// computes them for constants. The sizes are those that the model says.

#ifndef WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZEBYDATA_H
#define WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZEBYDATA_H

#include "compiler/import/onnx/image/Resize.h"

namespace weir::onnx {

/// Whether this is left to the run, as far as it is not the same for every run
/// that gives the shape which the model says.
bool isResizedByData(Node &node, const Resize &resize, ResizeBy by);
/// Resizes `dims` to what the model says of the result, by scales, sizes and
/// regions that only the run knows; it checks that these give that shape.
mlir::LogicalResult resizeByData(Node &node, const Resize &resize, ResizeBy by,
                                 llvm::ArrayRef<int64_t> dims);
/// The size after a scale: the product is of f32, as in ONNX's shape inference,
/// so that both agree where a product of f64 is just below a whole number.
double scaledSize(int64_t size, double scale);
Expr scaledSize(Expr size, Expr scale);
int64_t dynamicTaps(const Resize &resize, const DynamicAxis &axis);
Expr resizeAlong(const Resize &resize, const DynamicAxis &axis, Expr x);
/// The part of each dimension that is looked at.
mlir::LogicalResult readRegions(Node &node,
                                llvm::MutableArrayRef<DynamicAxis> axes);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_IMAGE_RESIZEBYDATA_H

// Boxes in images, and the choice among them.

#ifndef WEIR_COMPILER_IMPORT_ONNX_IMAGE_BOXES_H
#define WEIR_COMPILER_IMPORT_ONNX_IMAGE_BOXES_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// NonMaxSuppression: as many boxes as the model says of the result.
mlir::LogicalResult importNonMaxSuppression(Node &node);
/// The same, with numbers of images, boxes and chosen boxes that are known only
/// at run time.
mlir::LogicalResult importBoundedSuppression(Node &node);

/// Checks in a run that each number of `which` is that of one of the images
/// `x`, of shape [images, ...].
mlir::LogicalResult checkImages(Node &node, Expr which, Expr x);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_IMAGE_BOXES_H

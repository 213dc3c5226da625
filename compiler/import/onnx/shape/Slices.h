// Boxes of elements, cut out, widened or put in place.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_SLICES_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_SLICES_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// Whether starts and ends of a Slice are the same distance from each other in
/// every run.
bool isCutByDistance(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_SLICES_H

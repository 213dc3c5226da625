// Images that are read at computed places.

#ifndef WEIR_COMPILER_IMPORT_ONNX_IMAGE_IMAGE_H
#define WEIR_COMPILER_IMPORT_ONNX_IMAGE_IMAGE_H

#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// What lies outside of images.
enum class Outside { zeros, border, reflection };

void addRegionHandlers(Handlers &);
void addRoiAlignHandlers(Handlers &);
void addResizeHandlers(Handlers &);
void addSampleHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_IMAGE_IMAGE_H

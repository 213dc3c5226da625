// Places in tensors that operands name.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H

#include "compiler/import/onnx/Operands.h"
#include "dialects/graph/Index.h"

namespace weir::onnx {} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H

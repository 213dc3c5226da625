// The list of all handlers.

#ifndef WEIR_COMPILER_IMPORT_ONNX_HANDLERS_H
#define WEIR_COMPILER_IMPORT_ONNX_HANDLERS_H

#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

/// All handlers, by op.
const Handlers &handlers();

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_HANDLERS_H

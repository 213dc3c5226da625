// Exports a program of the graph dialect as an ONNX model.

#ifndef WEIR_COMPILER_EXPORT_ONNX_EXPORT_H
#define WEIR_COMPILER_EXPORT_ONNX_EXPORT_H

#include "compiler/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace weir {

/// The bytes of an ONNX model with the one function of a module, or its text.
/// After an error on the context's diagnostic engine `status` is set.
std::string exportOnnx(mlir::ModuleOp module, bool asText, Status &status);

} // namespace weir

#endif // WEIR_COMPILER_EXPORT_ONNX_EXPORT_H

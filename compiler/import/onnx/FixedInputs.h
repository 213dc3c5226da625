// Inputs that --value makes constants.

#ifndef WEIR_COMPILER_IMPORT_ONNX_FIXEDINPUTS_H
#define WEIR_COMPILER_IMPORT_ONNX_FIXEDINPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

namespace weir::onnx {

/// Replaces inputs of a model's graph, also those with an initializer, by
/// Constant nodes of the values that the options give. These are not trained,
/// as initializers would be.
mlir::LogicalResult fixInputs(Report &report, const ImportOptions &options,
                              ::onnx::GraphProto &graph);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_FIXEDINPUTS_H

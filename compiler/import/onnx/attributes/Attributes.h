// Which attributes each operator has.

#ifndef WEIR_COMPILER_IMPORT_ONNX_ATTRIBUTES_ATTRIBUTES_H
#define WEIR_COMPILER_IMPORT_ONNX_ATTRIBUTES_ATTRIBUTES_H

#include "compiler/import/onnx/Node.h"

namespace onnx {
class FunctionProto;
} // namespace onnx

namespace weir::onnx {

/// Refuses an attribute that the node's operator does not have in the opset of
/// the model, and one of another type. An operator without an entry in the
/// tables may have any.
mlir::LogicalResult checkAttributes(Node &node);

/// The same for a node that calls a function of the model.
mlir::LogicalResult checkAttributes(Node &node,
                                    const ::onnx::FunctionProto &function);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_ATTRIBUTES_ATTRIBUTES_H

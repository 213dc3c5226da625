// Whether values are what a model declares of them.

#ifndef WEIR_COMPILER_IMPORT_ONNX_DECLARED_H
#define WEIR_COMPILER_IMPORT_ONNX_DECLARED_H

#include "compiler/import/debug/Instruments.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Node.h"

namespace weir::onnx {

/// An error where the node's result is of other elements than declared. Strings
/// and sequences are left to those who take them.
mlir::LogicalResult checkElement(Node &node, llvm::StringRef name,
                                 const Traced &traced);
/// The shape that the graph declares of a value, without the names of dynamic
/// sizes unless `hasNames`; nothing if it declares none.
std::optional<std::vector<DeclaredDim>>
declaredDims(const Graph &graph, llvm::StringRef value, bool hasNames);
/// An error where an output has another rank or other sizes than declared.
mlir::LogicalResult checkShape(Report &report, mlir::Location at,
                               llvm::StringRef name,
                               const ::onnx::TypeProto *type,
                               const Traced &traced);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_DECLARED_H

// The types of an entry's inputs: what the model says of them, and what the
// options add.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_INPUTTYPES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_INPUTTYPES_H

#include "compiler/import/debug/Instruments.h"
#include "compiler/import/tensorflow/Entry.h"

namespace weir::tensorflow {

/// The type that a node's attributes say its first result has; DT_INVALID where
/// they do not.
int ownType(const ::tensorflow::NodeDef &def);
/// The shape that a node's attribute _output_shapes has for a result; nothing
/// if there is none.
std::optional<std::vector<DeclaredDim>>
declaredDims(const ::tensorflow::NodeDef &def, size_t output);
/// Sets the type of an input without feed, from its node, from the type in the
/// model (either may be absent) and from the options' shapes. Dynamic
/// dimensions have no bounds yet (boundInputs).
mlir::LogicalResult setInputType(Report &report, const Graph &graph, Port &port,
                                 const ::tensorflow::TensorShapeProto *shape,
                                 int dataType, const ImportOptions &options);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_INPUTTYPES_H

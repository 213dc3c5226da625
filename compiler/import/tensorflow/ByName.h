// Nodes that are one to one with an op of the dialect.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_BYNAME_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_BYNAME_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// An error where attribute `T` is none, or not the type of operand `i`.
mlir::LogicalResult checkType(Node &node, unsigned i);
/// Builds the graph op that an op is one to one with.
mlir::LogicalResult buildByName(Node &node, llvm::StringRef target);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_BYNAME_H

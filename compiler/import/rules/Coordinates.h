// Where the elements of a tensor are that are not zero.

#ifndef WEIR_COMPILER_IMPORT_RULES_COORDINATES_H
#define WEIR_COMPILER_IMPORT_RULES_COORDINATES_H

#include "compiler/import/TracedNode.h"

namespace weir {

/// The coordinates of the elements of operand 0 that are not zero, in row-major
/// order: a row of i64 for each element, or for each dimension.
enum class Vectors { ofElements, ofDims };
mlir::LogicalResult giveCoordinates(TracedNode &node, Vectors rows);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_COORDINATES_H

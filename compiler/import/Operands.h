// The operands and results of nodes as expressions, and what handlers check of
// them, in every frontend.

#ifndef WEIR_COMPILER_IMPORT_OPERANDS_H
#define WEIR_COMPILER_IMPORT_OPERANDS_H

#include "compiler/import/Build.h"
#include "compiler/import/TracedNode.h"

namespace weir {

/// Operand `i` of a node; without a value where it is left out.
Expr operand(TracedNode &node, unsigned i);
/// The results of a node; one without a value is an error at it.
mlir::LogicalResult give(TracedNode &node, llvm::ArrayRef<Expr> results);

/// Which element types a handler takes.
enum class Elements { numbers, floats, integers, bools, any };
bool isOf(mlir::Type elementType, Elements elements);

/// Adds a check that all elements of `condition` are true, with the node's
/// name. If the value is known at import, no check is built, and a false
/// element is an error of the import.
mlir::LogicalResult check(TracedNode &node, Expr condition,
                          const llvm::Twine &message);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_OPERANDS_H

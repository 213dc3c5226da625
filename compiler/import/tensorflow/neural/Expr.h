// Operands and results of nodes as expressions.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EXPR_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EXPR_H

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// Operand `i` of a node.
Expr operand(Node &node, unsigned i);
/// The results of a node; one without a value is an error at it.
mlir::LogicalResult give(Node &node, llvm::ArrayRef<Expr> results);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EXPR_H

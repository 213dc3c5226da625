// The operands of elementwise nodes, checked and of one shape.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_OPERANDS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_OPERANDS_H

#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// The node's operands, which must be `count` (any number where it is 0), all
/// of one element type among `elements`, broadcast to one shape.
mlir::FailureOr<llvm::SmallVector<Expr>> operandsOf(Node &node, unsigned count,
                                                    Elements elements);
/// All of `operands` broadcast to one shape.
mlir::LogicalResult broadcastAll(Node &node,
                                 llvm::MutableArrayRef<Expr> operands);

/// Zeros of its type; nothing of nothing.
Expr zerosOf(Expr x);

/// The type of the parts of the complex type that an attribute names; null
/// where it names another.
mlir::Type complexPart(Node &node, llvm::StringRef attribute);

void addCastHandlers(Handlers &);
void addComplexReduceHandlers(Handlers &);
void addComplexResultHandlers(Handlers &);
void addFakeQuantHandlers(Handlers &);
void addGradientHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_OPERANDS_H

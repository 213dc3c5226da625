// The operands of elementwise nodes, checked and of one shape.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_OPERANDS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ELEMENTWISE_OPERANDS_H

#include "compiler/import/tensorflow/neural/Expr.h"

namespace weir::tensorflow {

enum class Elements { numbers, floats, integers, bools, any };

bool isOf(mlir::Type elementType, Elements elements);

/// The node's operands, which must be `count` (any number where it is 0), all
/// of one element type among `elements`, broadcast to one shape.
mlir::FailureOr<llvm::SmallVector<Expr>> operandsOf(Node &node, unsigned count,
                                                    Elements elements);
/// All of `operands` broadcast to one shape.
mlir::LogicalResult broadcastAll(Node &node,
                                 llvm::MutableArrayRef<Expr> operands);

/// An error of the run with the node's name where the truth values of
/// `condition` are not all true. Nothing to check where they are known to be.
mlir::LogicalResult check(Node &node, Expr condition,
                          const llvm::Twine &message);

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

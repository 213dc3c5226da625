// The graph dialect in C++, and the ops that every stage handles. Each other
// family has a header: Elementwise.h, Shape.h, Reduce.h, Neural.h ...

#ifndef WEIR_DIALECTS_GRAPH_GRAPH_H
#define WEIR_DIALECTS_GRAPH_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/graph/GraphDialect.h.inc"
#include "dialects/graph/GraphEnums.h.inc"
#include "dialects/graph/GraphInterfaces.h.inc"

namespace weir::graph {

/// The limit of elements that a folder computes. It suffices for the arithmetic
/// of shapes.
constexpr int64_t foldLimit = 4096;

/// Folds an op with ScalarOpInterface and constant operands, by folding the ops
/// of its scalar function for each element. Null if an operand is not constant,
/// if the result is over `foldLimit`, or if an op of the function does not
/// fold.
mlir::OpFoldResult foldScalarOp(mlir::Operation *op,
                                llvm::ArrayRef<mlir::Attribute> operands);

/// The signless type in which arith computes: `i8` for `ui8`.
mlir::Type signless(mlir::Type elementType);

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/CoreOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_GRAPH_H

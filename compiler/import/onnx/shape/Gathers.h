// Nodes that take elements from, or put them to, places that operands name.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_GATHERS_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_GATHERS_H

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Index.h"

namespace weir::onnx {

/// Operand `i`, of places along dimensions of the sizes (one for all, or one
/// for each of the last dimension of the operand): negative ones count from the
/// end. Those outside are an error of the run.
mlir::FailureOr<Expr> positionsOf(Node &node, unsigned i,
                                  llvm::ArrayRef<int64_t> sizes);
/// The vectors of places of a tensor of the shape of `along`: its elements are
/// the places along `axis`, and where they stand tells the others.
Expr vectorsAlong(Node &node, Expr along, int64_t axis);
/// How a scattering node combines, by its attribute.
mlir::FailureOr<graph::Combiner> combinerOf(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_GATHERS_H

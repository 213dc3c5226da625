// Places in tensors that operands name.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H
#define WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H

#include "compiler/import/onnx/Operands.h"
#include "dialects/graph/Index.h"

namespace weir::onnx {

/// Operand `i`, of places along dimensions of the sizes (one for all, or one
/// for each of the last dimension of the operand): negative ones count from the
/// end. Those outside are an error of the run.
mlir::FailureOr<Expr> placesOf(Node &node, unsigned i,
                               llvm::ArrayRef<int64_t> sizes);
/// The vectors of places of a tensor of the shape of `along`: its elements are
/// the places along `axis`, and where they stand tells the others.
Expr vectorsAlong(Node &node, Expr along, int64_t axis);
/// The elements of `x` that vectors along the last dimension of `places` name.
Expr gatherNd(Expr x, Expr places, int64_t batchDims = 0);
/// How a scattering node combines, by its attribute.
mlir::FailureOr<graph::Combiner> combinerOf(Node &node);
/// The places of the first `count` true elements of `mask`, of rank 1, in
/// order.
Expr firstTrue(Node &node, Expr mask, int64_t count);
/// Whether starts and ends of a Slice are the same distance from each other in
/// every run.
bool isCutByDistance(Node &node);
/// How many are true, as a scalar i64.
Expr countTrue(Expr mask);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SHAPE_PLACES_H

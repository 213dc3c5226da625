// Index vectors, and what is put where they say.

#ifndef WEIR_DIALECTS_GRAPH_GRADIENTS_SCATTER_H
#define WEIR_DIALECTS_GRAPH_GRADIENTS_SCATTER_H

#include "dialects/graph/Gradients.h"
#include "dialects/graph/Index.h"

namespace weir::graph {

/// As graph.scatter.
Expr scatter(Expr x, Expr indices, Expr updates, Combiner combiner);
/// As graph.gather_nd, without batch dimensions.
Expr gatherVectors(Expr x, Expr indices);

/// The vectors along the last dimension of `indices`, each with its indices in
/// the first `batchDims` dimensions before it.
Expr withBatch(Expr indices, int64_t batchDims);
/// Each number of the vectors moved to the nearest of 0 .. size - 1.
Expr limited(Expr indices, llvm::ArrayRef<int64_t> sizes);
/// Whether all numbers of a vector are in 0 .. size - 1.
Expr within(Expr indices, llvm::ArrayRef<int64_t> sizes);

/// Permutes rows of the last two dimensions: row i becomes row permutation[i].
Expr rowsTo(Expr x, Expr permutation);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_GRADIENTS_SCATTER_H

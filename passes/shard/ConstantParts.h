// The parts of constants that are divided among the ranks of a mesh.

#ifndef WEIR_PASSES_SHARD_CONSTANTPARTS_H
#define WEIR_PASSES_SHARD_CONSTANTPARTS_H

#include "dialects/graph/Graph.h"
#include "passes/shard/Shardings.h"

namespace weir::shard {

/// The parts of a constant for all ranks: a PartsAttr, or a splat if they are
/// equal. Null if the bytes of the constant are not known.
mlir::ElementsAttr divide(MeshAttr mesh, graph::ConstantOp constant,
                          llvm::ArrayRef<int64_t> sharding);

} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_CONSTANTPARTS_H

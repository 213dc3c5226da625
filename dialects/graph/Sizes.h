// Dynamic sizes of tensors in padded buffers, as passes see them.
//
// Importers write them as attributes of ops (graph.symbol says how). What has
// none and only moves or maps elements takes them from its operands.

#ifndef WEIR_DIALECTS_GRAPH_SIZES_H
#define WEIR_DIALECTS_GRAPH_SIZES_H

#include "dialects/graph/Graph.h"

#include "llvm/ADT/DenseMap.h"

namespace weir::graph {

/// A factor of a dimension.
struct SizeFactor {
  int64_t bound = 1;
  /// The number of the actual size, as graph.symbol has it; -1: the bound is.
  int64_t symbol = -1;

  bool isDynamic() const { return symbol >= 0; }
  bool operator==(const SizeFactor &other) const {
    return bound == other.bound && symbol == other.symbol;
  }
};
/// In row-major order.
using SizeOfDim = llvm::SmallVector<SizeFactor, 1>;
/// Empty where nothing is dynamic.
using SizesOfDims = llvm::SmallVector<SizeOfDim, 4>;

bool isDynamic(const SizeOfDim &dim);
bool isDynamic(const SizesOfDims &dims);

/// The attribute; null where nothing is dynamic.
mlir::ArrayAttr sizesAttr(mlir::MLIRContext *context, const SizesOfDims &dims);
/// What such an attribute says of a tensor or buffer of this shape; empty where
/// it does not fit.
SizesOfDims readSizes(mlir::Attribute attribute, llvm::ArrayRef<int64_t> shape);
/// The same elements in row-major order in another shape; empty where a dynamic
/// factor would be taken apart.
SizesOfDims reshapeSizes(const SizesOfDims &dims,
                         llvm::ArrayRef<int64_t> shape);

/// The sizes of the values of a function.
class DynamicSizes {
public:
  SizesOfDims of(mlir::Value value);

private:
  SizesOfDims compute(mlir::Value value);
  SizesOfDims ofOp(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
  /// Of an op that works element by element.
  SizesOfDims joined(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, SizesOfDims> known;
  unsigned depth = 0;
};

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_SIZES_H

// Dynamic sizes of tensors in padded buffers.
//
// Importers attach them to ops as attributes (see graph.symbol). An op without
// the attribute that only moves or maps elements inherits the sizes of its
// operands.

#ifndef WEIR_DIALECTS_GRAPH_SIZES_H
#define WEIR_DIALECTS_GRAPH_SIZES_H

#include "dialects/graph/Graph.h"

#include "llvm/ADT/DenseMap.h"

namespace weir::graph {

/// A factor of a dimension.
struct SizeFactor {
  int64_t bound = 1;
  /// The number of the symbolic dimension (see graph.symbol), or -1 for a
  /// static factor.
  int64_t symbol = -1;

  bool isDynamic() const { return symbol >= 0; }
  bool operator==(const SizeFactor &other) const {
    return bound == other.bound && symbol == other.symbol;
  }
};
/// In row-major order.
using SizeOfDim = llvm::SmallVector<SizeFactor, 1>;
/// Empty if no dimension is dynamic.
using SizesOfDims = llvm::SmallVector<SizeOfDim, 4>;

bool isDynamic(const SizeOfDim &dim);
bool isDynamic(const SizesOfDims &dims);

/// The attribute, or null if no dimension is dynamic.
mlir::ArrayAttr sizesAttr(mlir::MLIRContext *context, const SizesOfDims &dims);
/// Reads the attribute for a tensor or buffer of this shape. Empty if it does
/// not match.
SizesOfDims readSizes(mlir::Attribute attribute, llvm::ArrayRef<int64_t> shape);
/// The sizes after a reshape to row-major `shape`. Empty if it would split a
/// dynamic factor.
SizesOfDims reshapeSizes(const SizesOfDims &dims,
                         llvm::ArrayRef<int64_t> shape);

/// The sizes of the values of a function.
class DynamicSizes {
public:
  SizesOfDims of(mlir::Value value);

private:
  SizesOfDims compute(mlir::Value value);
  SizesOfDims ofOp(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
  /// The sizes of an elementwise op.
  SizesOfDims joined(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, SizesOfDims> known;
  unsigned depth = 0;
};

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_SIZES_H

// What the handlers of ops that move elements share.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_MOVES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_MOVES_H

#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

using Integers = llvm::SmallVector<int64_t>;

/// The first operands of a node that must have at least `count`.
mlir::LogicalResult wantOperands(Node &node, unsigned count);

/// A type attribute that may be absent, or of a type that weir has not.
mlir::Type typeAttrOr(Node &node, llvm::StringRef name, mlir::Type otherwise);

/// The number of elements of `shape`; an error at the node where a size is
/// negative or the tensor would be too large.
mlir::FailureOr<int64_t> countOrError(Node &node,
                                      llvm::ArrayRef<int64_t> shape);

/// A constant of rank 1.
Expr integers(Node &node, mlir::Type elementType,
              llvm::ArrayRef<int64_t> values);
/// A constant of Booleans.
Expr booleans(Node &node, llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<bool> values);
/// All elements `value`.
Expr filled(Node &node, llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
            double value);

/// `x` with elements [start, limit) of each dimension; nothing is checked.
Expr box(Expr x, llvm::ArrayRef<int64_t> starts,
         llvm::ArrayRef<int64_t> limits);
/// `x` with its dimension `dim` in place of several, or several in its place.
Integers replaceDims(llvm::ArrayRef<int64_t> shape, int64_t dim, int64_t count,
                     llvm::ArrayRef<int64_t> dims);

/// Each row of the result, along the last dimension, is made of elements of
/// the row of `x` at constant places; `padding` (a scalar) where the place is
/// negative. The last dimension then has the shape `shape`.
Expr pick(Node &node, Expr x, llvm::ArrayRef<int64_t> positions, Expr padding,
          llvm::ArrayRef<int64_t> shape);

/// An element of a vector of integers where it is known, though others may not
/// be.
std::optional<int64_t> knownElement(mlir::Value vector, int64_t index);

/// Whether elements of the type can be indices: i32 or i64.
bool isIndexType(mlir::Type elementType);
/// An error where operand `i` is not of such elements.
mlir::LogicalResult wantIndices(Node &node, unsigned i);

/// For the table of nodes with complex operands.
void addComplexMoveHandlers(Handlers &);
void addBlockHandlers(Handlers &);
void addDiagonalHandlers(Handlers &);
void addJoinHandlers(Handlers &);
void addOrderHandlers(Handlers &);
void addPadHandlers(Handlers &);
void addPositionHandlers(Handlers &);
void addRangeHandlers(Handlers &);
void addScatterHandlers(Handlers &);
void addSegmentHandlers(Handlers &);
void addSliceHandlers(Handlers &);
void addSliceUpdateHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_MOVES_H

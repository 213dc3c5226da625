// Shapes and constants as ops that move elements see them.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTS_H
#define WEIR_DIALECTS_GRAPH_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir::graph {

/// The number of elements of a shape; nothing where a size is negative, or
/// where the product of all sizes but zeros is over 2^58: then the bytes of
/// the tensor could not be counted in 63 bits.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// The sum of two numbers that are not negative; INT64_MAX where it is larger.
int64_t saturatingAdd(int64_t a, int64_t b);

/// Bytes of a tensor that was imported, so that they can be counted; a truth
/// value takes one.
int64_t tensorBytes(mlir::Type tensor);

/// Whether `permutation` holds each of 0 .. its size-1 once.
bool isPermutation(llvm::ArrayRef<int64_t> permutation);
/// Whether each number is larger than the one before and in 0 .. rank-1.
bool areAscendingDims(llvm::ArrayRef<int64_t> dims, int64_t rank);

/// How far apart two neighbours are along each dimension, in row-major order.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

/// The first of the elements from `starts` to before `limits` by `strides`,
/// counted in row-major order, where those elements follow each other in it;
/// nothing where they do not, or are none.
std::optional<int64_t> contiguousStart(llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> starts,
                                       llvm::ArrayRef<int64_t> limits,
                                       llvm::ArrayRef<int64_t> strides);

/// Whether operands that are joined along `axis` to a result of this shape lie
/// one after the other in it, in row-major order.
bool joinsContiguously(llvm::ArrayRef<int64_t> shape, int64_t axis);

/// One of several constants, and which of its elements.
struct ElementRef {
  int64_t source;
  int64_t position;
};

/// A constant of elements of others, each chosen by its index in the result.
/// Null where the result is over the folders' limit. Sources are numbers of
/// the element type of `type`.
mlir::DenseElementsAttr
pickElements(llvm::ArrayRef<mlir::DenseElementsAttr> sources,
             mlir::RankedTensorType type,
             llvm::function_ref<ElementRef(llvm::ArrayRef<int64_t>)> choose);

/// The constant of a type without elements; null of any other.
mlir::DenseElementsAttr emptyConstant(mlir::RankedTensorType type);

/// The integers of a constant, sign extended unless unsigned; nothing for
/// another kind of attribute, or for one over the folders' limit.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Attribute value);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_ELEMENTS_H

// Helpers of ops that move elements.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTS_H
#define WEIR_DIALECTS_GRAPH_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir::graph {

/// The number of elements of a shape. No value if a size is negative, or if the
/// product of all nonzero sizes is over 2^58: then the size in bytes could
/// overflow 63 bits.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// The sum of two numbers that are not negative, or INT64_MAX if it overflows.
int64_t saturatingAdd(int64_t a, int64_t b);

/// The size of an imported tensor in bytes; an i1 takes one. The importer has
/// checked that it does not overflow.
int64_t tensorBytes(mlir::Type tensor);

/// Whether `permutation` contains each of 0 .. its size-1 once.
bool isPermutation(llvm::ArrayRef<int64_t> permutation);
/// Whether the numbers ascend and are in 0 .. rank-1.
bool areAscendingDims(llvm::ArrayRef<int64_t> dims, int64_t rank);

/// The row-major strides of a shape, in elements.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

/// If the elements from `starts` to before `limits` by `strides` are contiguous
/// in row-major order, the index of the first one. No value if they are not, or
/// if there are none.
std::optional<int64_t> contiguousStart(llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> starts,
                                       llvm::ArrayRef<int64_t> limits,
                                       llvm::ArrayRef<int64_t> strides);

/// Whether the operands of a concatenation along `axis` are contiguous in its
/// result, in row-major order.
bool joinsContiguously(llvm::ArrayRef<int64_t> shape, int64_t axis);

/// An element of one of several constants.
struct ElementRef {
  int64_t source;
  int64_t position;
};

/// A constant whose elements are chosen from other constants by their index in
/// the result. Null above the folders' limit. The sources have the element type
/// of `type`.
mlir::DenseElementsAttr
pickElements(llvm::ArrayRef<mlir::DenseElementsAttr> sources,
             mlir::RankedTensorType type,
             llvm::function_ref<ElementRef(llvm::ArrayRef<int64_t>)> choose);

/// The constant of a type without elements; null for any other type.
mlir::DenseElementsAttr emptyConstant(mlir::RankedTensorType type);

/// The integers of a constant, sign-extended unless unsigned. No value for
/// other attributes, and above the folders' limit.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Attribute value);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_ELEMENTS_H

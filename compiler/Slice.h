// Slices of a checkpoint's tensors: what each part of a partitioned variable,
// or each rank, saves of a tensor.

#ifndef WEIR_COMPILER_SLICE_H
#define WEIR_COMPILER_SLICE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace weir {

/// Where a slice lies along each dimension of the whole tensor.
struct Slice {
  /// The length of a dimension that is not cut; its key differs from that of
  /// one that is cut into one piece.
  static constexpr int64_t uncut = -1;

  llvm::SmallVector<int64_t> sizes, starts, lengths;

  /// The number of elements along each dimension.
  llvm::SmallVector<int64_t> shape() const;
  /// Whether it is the whole tensor.
  bool isWhole() const;
  /// Whether both hold an element; they are of one tensor.
  bool overlaps(const Slice &other) const;
};

/// Parses what a graph that saves or restores says: the sizes of the whole
/// tensor, and the slice, `10 4 0,5:-`. Nothing where it is not that.
std::optional<Slice> parseSlice(llvm::StringRef text);

/// The key of a slice in the index of a checkpoint: TensorFlow's ordered code
/// of the tensor's name and of the slice. Empty where it is longer than a key
/// may be.
std::string sliceKey(llvm::StringRef name, llvm::ArrayRef<int64_t> starts,
                     llvm::ArrayRef<int64_t> lengths);

/// The entry of a tensor that is stored in these slices, which are of one
/// tensor: its shape and the slices, without its type.
std::string sliceEntry(llvm::ArrayRef<Slice> slices);

} // namespace weir

#endif // WEIR_COMPILER_SLICE_H

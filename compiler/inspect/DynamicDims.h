// Dimensions whose sizes only a run knows, in a description.

#ifndef WEIR_COMPILER_INSPECT_DYNAMICDIMS_H
#define WEIR_COMPILER_INSPECT_DYNAMICDIMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// The dimensions of a tensor with open ones.
struct DynamicShape {
  llvm::SmallVector<int64_t> least, most;
  /// Empty for dimensions without a name.
  llvm::SmallVector<std::string> names;
  /// As types are written: f32.
  std::string element;
};

/// Adds to the tensor, whose name is there, its `dims`, sizes or names, and
/// its `element`; and to `open`, of its signature, the ranges of those names
/// that are not there yet.
void describeDynamic(llvm::json::Object &tensor, llvm::json::Array &open,
                     const DynamicShape &shape);

/// `batch x 3 x f32` of such a tensor; empty of others.
std::string dynamicText(const llvm::json::Object &tensor);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_DYNAMICDIMS_H

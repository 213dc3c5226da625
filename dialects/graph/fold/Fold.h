// Helpers of folders that move elements.

#ifndef WEIR_DIALECTS_GRAPH_FOLD_FOLD_H
#define WEIR_DIALECTS_GRAPH_FOLD_FOLD_H

#include "dialects/graph/Elements.h"
#include "mlir/IR/OpDefinition.h"

namespace weir::graph {

inline mlir::DenseElementsAttr dense(mlir::Attribute value) {
  return llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value);
}

/// A splat constant of `type`, if all of `elements` are known and equal; else
/// null.
inline mlir::DenseElementsAttr splatOf(mlir::Attribute elements,
                                       mlir::RankedTensorType type) {
  auto known = dense(elements);
  if (!known || !known.isSplat() || known.getNumElements() == 0 ||
      type.getNumElements() == 0)
    return {};
  return known.resizeSplat(type);
}

/// A constant of `type` with the elements of `elements` at the positions that
/// `at` returns. Null if they are unknown, or above the folders' limit.
inline mlir::OpFoldResult
pickFrom(mlir::Attribute elements, mlir::RankedTensorType type,
         llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> at) {
  auto known = dense(elements);
  if (!known)
    return {};
  if (auto splat = splatOf(known, type))
    return splat;
  return pickElements(known, type, [&](llvm::ArrayRef<int64_t> index) {
    return ElementRef{0, at(index)};
  });
}

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_FOLD_FOLD_H

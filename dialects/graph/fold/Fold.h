// What folders that move elements share.

#ifndef WEIR_DIALECTS_GRAPH_FOLD_FOLD_H
#define WEIR_DIALECTS_GRAPH_FOLD_FOLD_H

#include "dialects/graph/Elements.h"
#include "mlir/IR/OpDefinition.h"

namespace weir::graph {

inline mlir::DenseElementsAttr dense(mlir::Attribute value) {
  return llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value);
}

/// A constant of `type` whose elements are any of `elements`, where these are
/// all equal; null where they are not, or are not known.
inline mlir::DenseElementsAttr splatOf(mlir::Attribute elements,
                                       mlir::RankedTensorType type) {
  auto known = dense(elements);
  if (!known || !known.isSplat() || known.getNumElements() == 0 ||
      type.getNumElements() == 0)
    return {};
  return known.resizeSplat(type);
}

/// A constant of `type` of those of `elements` whose positions `at` gives; null
/// where they are not known, or over the folders' limit.
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

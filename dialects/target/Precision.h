// The precision of f32 products on a GPU.

#ifndef WEIR_DIALECTS_TARGET_PRECISION_H
#define WEIR_DIALECTS_TARGET_PRECISION_H

#include "dialects/weir/Attributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Whether the user allows rounding the operands of f32 products to tf32.
inline bool isForTf32(mlir::Operation *inside) {
  auto module = inside->getParentOfType<mlir::ModuleOp>();
  auto precision = module ? attrs::precision.of(module) : nullptr;
  return precision && precision.getValue() == "tf32";
}

} // namespace weir

#endif // WEIR_DIALECTS_TARGET_PRECISION_H

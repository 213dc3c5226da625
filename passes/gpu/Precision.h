// What products of f32 have to keep of their factors.

#ifndef WEIR_PASSES_GPU_PRECISION_H
#define WEIR_PASSES_GPU_PRECISION_H

#include "dialects/weir/Attributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir::gpu {

/// Whether the user lets factors of f32 be rounded to tf32.
inline bool isForTf32(mlir::Operation *inside) {
  auto module = inside->getParentOfType<mlir::ModuleOp>();
  auto precision = module ? attrs::precision.of(module) : nullptr;
  return precision && precision.getValue() == "tf32";
}

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_PRECISION_H

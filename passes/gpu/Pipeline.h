// The order of the GPU stage's passes.

#ifndef WEIR_PASSES_GPU_PIPELINE_H
#define WEIR_PASSES_GPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weir {

/// Lowers kernels on buffers to work items, which become threads of a GPU.
void buildShareThreadsPipeline(mlir::OpPassManager &pm);

/// Lowers kernels and planned programs in the LLVM dialect to GPU images and
/// functions that launch them.
void buildIssuePipeline(mlir::OpPassManager &pm);

} // namespace weir

#endif // WEIR_PASSES_GPU_PIPELINE_H

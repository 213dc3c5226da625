// The order of the GPU stage's passes.

#ifndef WEIR_PASSES_GPU_PIPELINE_H
#define WEIR_PASSES_GPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weir {

/// Kernels on memory become grains for threads of a GPU.
void buildShareThreadsPipeline(mlir::OpPassManager &pm);

/// Kernels in the LLVM dialect beside planned programs become images and
/// functions that launch them.
void buildIssuePipeline(mlir::OpPassManager &pm);

} // namespace weir

#endif // WEIR_PASSES_GPU_PIPELINE_H

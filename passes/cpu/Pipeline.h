// The order of the CPU stage's passes.

#ifndef WEIR_PASSES_CPU_PIPELINE_H
#define WEIR_PASSES_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace weir {

/// Kernels on tensors become kernels on memory, with their schedules.
void buildSchedulePipeline(mlir::OpPassManager &pm);

/// Kernels on memory become loops, with their scratch placed.
void buildKernelsPipeline(mlir::OpPassManager &pm);

/// Kernels on memory become loops over vectors, one kernel for each part that
/// threads share.
void buildLoopsPipeline(mlir::OpPassManager &pm);

/// Loops on memory become LLVM's dialect.
void buildLlvmPipeline(mlir::OpPassManager &pm);

/// Kernels on memory and planned programs become LLVM's dialect.
void buildCpuPipeline(mlir::OpPassManager &pm);

} // namespace weir

#endif // WEIR_PASSES_CPU_PIPELINE_H

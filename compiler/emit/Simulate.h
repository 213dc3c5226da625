// Kernels of a GPU as functions of the CPU, for tests.
#ifndef WEIR_COMPILER_EMIT_SIMULATE_H
#define WEIR_COMPILER_EMIT_SIMULATE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace weir {

/// Takes the module of kernels out of `source`, where --gpu=sim left it; null,
/// if there is none.
mlir::OwningOpRef<mlir::ModuleOp> takeSimulatedKernels(mlir::ModuleOp source);

/// Links the kernels into `to`, from the LLVM IR that would become PTX. Thread
/// indices and barriers are replaced by calls of the simulator
/// (runtime/sim/sim.h). Adds the table `weir_sim_kernels` in the order of the
/// kernels' numbers. The functions' names begin with `prefix`.
llvm::Error simulateKernels(mlir::ModuleOp kernels, mlir::ArrayAttr names,
                            llvm::StringRef prefix, llvm::Module &to);

} // namespace weir

#endif

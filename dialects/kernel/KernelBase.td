// The kernel dialect: loops that weir emits by its own recipes.

#ifndef WEIR_DIALECTS_KERNEL_BASE
#define WEIR_DIALECTS_KERNEL_BASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::weir::kernel";
  let summary = "Contractions with an epilogue, as the CPU stage emits them";
  let description = [{
    A kernel op works on memrefs, its destination among them. Its region is the
    epilogue: the scalar function applied to each finished sum before it is
    stored, which the emitter widens to vectors.
  }];
}

#endif // WEIR_DIALECTS_KERNEL_BASE

// Passes of the CPU stage: from linalg and kernels to the LLVM dialect.

#ifndef WEIR_PASSES_CPU
#define WEIR_PASSES_CPU

include "mlir/Pass/PassBase.td"

def EmitKernels : Pass<"weir-emit-kernels"> {
  let summary = "Expands kernels on memrefs into loops over vector registers";
  let description = [{
    Each op of the kernel dialect becomes `scf.for` loops over tiles that fit
    the registers of `weir.target`, its epilogue widened to vectors. Scratch is
    `memref.alloc` before the loops, so this runs before buffers are placed.

    ```mlir
    kernel.matmul ins(%a, %b : ...) outs(%c : ...) { epilogue }
    // becomes
    scf.for ... { scf.for %k ... { vector.load, memref.load, vector.fma }
      epilogue on vectors; vector.store }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

#endif // WEIR_PASSES_CPU

// Passes of the CPU stage on finished loops.

#ifndef WEIR_PASSES_CPU_LOOPS
#define WEIR_PASSES_CPU_LOOPS

include "mlir/Pass/PassBase.td"

def ClipLoops : Pass<"weir-clip-loops", "::mlir::func::FuncOp"> {
  let summary = "Ends loops where the actual sizes of results end";
  let description = [{
    In a kernel with `weir.sizes` (`weir-bind-sizes`) an iteration that stores
    only elements beyond the actual sizes of the results does not run. Loops end
    there; where a dimension is a product whose inner factor is dynamic, the
    iterations in between are skipped. Loops that carry values, or store to
    memory that others read, stay as they are.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 { memref.store %v, %y[%i] : memref<8xf32> }
    // with weir.sizes = [[array<i64: 8, 1>]] becomes
    %n = memref.load %size[] : memref<i64>
    scf.for %i = %c0 to min(%c8, %n) step %c1 { ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
}

#endif // WEIR_PASSES_CPU_LOOPS

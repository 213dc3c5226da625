// Passes of the CPU stage on finished loops.

#ifndef WEIR_PASSES_CPU_LOOPS
#define WEIR_PASSES_CPU_LOOPS

include "mlir/Pass/PassBase.td"

def ClipLoops : Pass<"weir-clip-loops", "::mlir::func::FuncOp"> {
  let summary = "Ends loops at the actual sizes of results";
  let description = [{
    In a kernel with `weir.sizes` (`weir-bind-sizes`) an iteration that stores
    only elements beyond the actual sizes of the results does not run. Loops end
    there. If a dimension is a product whose inner factor is dynamic, the
    iterations in between are skipped. Loops that carry values, or store to
    memory that other loops read, do not change.

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

def CountGrains : Pass<"weir-count-grains", "::mlir::ModuleOp"> {
  let summary = "Counts the work items for the actual sizes";
  let description = [{
    After `weir-clip-loops` the loop over work items of a kernel ends at the
    actual sizes of its results. If all work of a kernel is in such loops, its
    runs get a function that returns the number of nonempty work items. Threads
    then share these, and not the empty ones after them.

    ```mlir
    func.func private @k(%n: memref<i64>, %y: memref<8xf32>, %first: index, %last: index, %slot: index) {
      scf.for %i = %first to min(%last, %size) ...
    }
    plan.run @k(%n, %y) {grains = 8 : i64}
    // gets count = @k_grains, which returns min(8, %size)
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect"];
}

#endif // WEIR_PASSES_CPU_LOOPS

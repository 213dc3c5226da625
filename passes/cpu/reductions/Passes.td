// Passes of the CPU stage on loops that reduce.

#ifndef WEIR_PASSES_CPU_REDUCTIONS
#define WEIR_PASSES_CPU_REDUCTIONS

include "mlir/Pass/PassBase.td"

def SplitReductions : Pass<"weir-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Divides long reductions into work items, for threads and short chains";
  let description = [{
    Loops that mostly reduce have no parallel dimension large enough for threads.
    Each work item along a reduced dimension has its own results, which are then
    combined in a fixed order. Long sums of rows are divided too, because the
    rounding errors of one chain of additions accumulate. The work items depend
    only on the loops, so any number of threads computes the same bits. The pass
    runs before buffers get offsets.

    ```mlir
    linalg.generic ins(%x : memref<1024x1024xf32>) outs(%sum : memref<f32>) { addf }
    // becomes
    kernel.parts 64 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %g = %first to %last step %c1 {
        linalg.fill ins(%zero) outs(%sum_of_g)
        linalg.generic ins(%rows_of_g : memref<16x1024xf32, ...>) outs(%sum_of_g) { addf }
    }
    linalg.generic ins(%sums : memref<64xf32>) outs(%sum : memref<f32>) { addf }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::weir::kernel::KernelDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShapeReductions : Pass<"weir-shape-reductions", "::mlir::func::FuncOp"> {
  let summary = "Merges reduction loops and moves them inside";
  let description = [{
    Adjacent loops of one iterator type become one if all operands have them
    contiguous, such as the rows and columns of a channel: vector loops are then
    longer. Reduction loops move into the last loop if its rows are short, so that
    sums of columns stay in registers.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<64x7x7xf32>) outs(%y : memref<64xf32>) { add }
    // becomes
    %z = memref.collapse_shape %x [[0], [1, 2]] : memref<64x7x7xf32> into memref<64x49xf32>
    linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%z : memref<64x49xf32>) outs(%y : memref<64xf32>) { add }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ReassociateReductions : Pass<"weir-reassociate-reductions"> {
  let summary = "Lets sums and products of a reduction run in vector lanes";
  let description = [{
    Only the op that combines the accumulator may be reordered; all other ops
    do not change.

    ```mlir
    linalg.generic ... { %s = arith.addf %in, %out : f32 }
    // becomes
    linalg.generic ... { %s = arith.addf %in, %out fastmath<reassoc> : f32 }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // WEIR_PASSES_CPU_REDUCTIONS

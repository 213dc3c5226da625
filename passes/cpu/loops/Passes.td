// Passes of the CPU stage on finished loops.

#ifndef WEIR_PASSES_CPU_LOOPS
#define WEIR_PASSES_CPU_LOOPS

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def CheckBounds : Pass<"weir-check-bounds", "::mlir::ModuleOp"> {
  let summary = "Checks the indices of loads and stores in each run";
  let description = [{
    With `weir.checks_bounds` a load or a store whose indices are not known to be
    in bounds runs only if they are: each start index is in its dimension, and
    all elements are in the buffer. Otherwise the kernel records the number of
    the check and the index, and a load is 0. The record is an operand of each
    kernel. `plan.check_accesses` after the run ends the program if it is set.
    The pass also verifies that the buffers of the plan are in their blocks of
    memory. It does not see accesses by pointers, as those of intrinsics.

    ```mlir
    %v = memref.load %x[%i] : memref<8xf32>
    // becomes
    %holds = arith.cmpi ult, %i, %c8 : index
    %v = scf.if %holds -> (f32) { memref.load } else { func.call @weir_record_access }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect",
                           "weir::plan::PlanDialect"];
}

def ClipLoops : Pass<"weir-clip-loops", "::mlir::func::FuncOp">, Optional {
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

def CountWorkItems : Pass<"weir-count-work-items", "::mlir::ModuleOp"> {
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
    plan.run @k(%n, %y) {work_items = 8 : i64}
    // gets count = @k_work_items, which returns min(8, %size)
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect"];
}

def LowerCopies : Pass<"weir-lower-copies"> {
  let summary = "Makes copies of strided memory loops";
  let description = [{
    A copy of contiguous bytes stays, and becomes a memcpy. If the output of a
    kernel may alias one of its inputs (`weir.aliases`), a copy from input to
    output first compares their addresses.

    ```mlir
    memref.copy %a, %b : memref<2x4xf32, strided<[8, 1]>> to memref<2x4xf32>
    // becomes
    linalg.generic ... ins(%a) outs(%b) { linalg.yield %in }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShareLoops : Pass<"weir-share-loops", "::mlir::func::FuncOp">, Optional {
  let summary = "Divides loops over large buffers into work items for threads";
  let description = [{
    The work items are slices along a parallel dimension and the outermost ones,
    in `kernel.parallel`. Their size depends on the loops and on whether there
    are threads. Loops of little work do not change.

    ```mlir
    linalg.generic ... ins(%x : memref<4096x256xf32>) outs(%y : ...)
    // becomes
    kernel.parallel 128 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %g = %first to %last step %c1 {
        linalg.generic ... ins(%slice : memref<32x256xf32, strided<...>>) ...
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::weir::kernel::KernelDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def VectorizeLoops : Pass<"weir-vectorize-loops">, Optional {
  let summary = "Turns loops over neighbouring 32-bit elements into vectors";
  let description = [{
    Applies to linalg ops on buffers whose body has a vector form. f16 and bf16
    are loaded and stored as such, and computed in f32. The lanes are the last
    dimension with contiguous elements; loops inside it may only reduce.
    Accumulators stay in registers. Maxima and minima keep NaN as `arith`
    defines it, but not the order of zeros. Rows that are reduced and come from
    beyond L2 are prefetched. A copy that changes the contiguous dimension uses
    register transpose blocks, also for 16-bit and 8-bit elements: it loads rows
    and stores columns. A body may load from a row at the indices of a table, as
    in upsampling. If the indices are near each other, the lanes of one vector
    are permuted instead. All other ops stay for plain loops.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%y : memref<8xf32>) { add }
    // becomes
    scf.for ... { scf.for ... iter_args { vector.load, arith.addf }
      arith.addf on halves, then on elements }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def OutlineParallelLoops : Pass<"weir-outline-parallel-loops", "::mlir::ModuleOp"> {
  let summary = "Makes each kernel.parallel a kernel that threads share";
  let description = [{
    A kernel with `kernel.parallel` becomes several, which run one after the
    other. Those of its parts have the range of work items and the worker slot
    as arguments. In a group with long tasks of one thread, these are in one
    region, and each run gets `items` in proportion to its time.

    ```mlir
    plan.run @k(%x) : (memref<4xf32>)
    // becomes
    plan.run @k_phase_0(%x) {work_items = 160 : i64} : (memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShapeReductions : Pass<"weir-shape-reductions", "::mlir::func::FuncOp">, Optional {
  let summary = "Merges reduction loops and moves them inside";
  let description = [{
    Adjacent loops of one iterator type become one if all operands have them
    contiguous, such as the rows and columns of a channel: vector loops are then
    longer. Reduction loops move into the last loop if its rows are short, so
    that sums of columns stay in registers.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<64x7x7xf32>) outs(%y : memref<64xf32>) { add }
    // becomes
    %z = memref.collapse_shape %x [[0], [1, 2]] : memref<64x7x7xf32> into memref<64x49xf32>
    linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%z : memref<64x49xf32>) outs(%y : memref<64xf32>) { add }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ReassociateReductions : Pass<"weir-reassociate-reductions">, Optional {
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

#endif // WEIR_PASSES_CPU_LOOPS

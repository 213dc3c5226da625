// Passes of the CPU stage: from linalg and kernels to the LLVM dialect.

#ifndef WEIR_PASSES_CPU
#define WEIR_PASSES_CPU

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"
include "passes/cpu/loops/Passes.td"
include "passes/cpu/schedule/Passes.td"

def EmitKernels : Pass<"weir-emit-kernels"> {
  let summary = "Expands kernels on memrefs into loops over vector registers";
  let description = [{
    Each op of the kernel dialect becomes `scf.for` loops over tiles that fit
    the registers of `weir.target`, with its epilogue widened to vectors.
    Scratch memory is `memref.alloc` before the loops, so the pass runs before
    buffers get offsets. Private scratch of a work item that fits L1 is on the
    stack. `weir.nanoseconds` of a function estimates its time, if it is known,
    and `weir.sequential_nanoseconds` the part in loops that one thread runs.
    `weir.in_place` lists arguments that only the epilogue reads, each element
    just before the result at its index is written. Spilled partial sums in the
    output exclude this.

    ```mlir
    kernel.matmul ins(%a, %b : ...) outs(%c : ...) { epilogue }
    // becomes
    scf.for ... { scf.for %k ... { vector.load, memref.load, vector.fma }
      epilogue on vectors; vector.store }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def ShareRows : Pass<"weir-share-rows", "::mlir::func::FuncOp">, Optional {
  let summary = "Shares loops over independent rows among threads";
  let description = [{
    Row-wise searches, such as TopK, overwrite scratch memory in each row. The
    attribute `weir.rows_apart` of the loop over rows estimates its cycles. If
    they are enough, threads share the rows, and each chunk has scratch memory of
    its own.

    ```mlir
    %scratch = memref.alloc() : memref<1000xi32>
    scf.for %row = %c0 to %c64 step %c1 { ... %scratch ... } {weir.rows_apart = 96000.0 : f64}
    // becomes
    kernel.parallel 64 {
    ^bb0(%first: index, %end: index, %slot: index):
      %scratch = memref.alloc() : memref<1000xi32>
      scf.for %row = %first to %end step %c1 { ... %scratch ... }
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::scf::SCFDialect",
                           "weir::kernel::KernelDialect"];
}

def FuseRows : Pass<"weir-fuse-rows", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes loops over the same rows one loop over blocks of rows";
  let description = [{
    Applies to consecutive linalg ops on buffers, at least one of which reduces
    rows, if each reads only its own rows of the others' results. A block has as
    many rows as fit L1, or fewer if they come from beyond L2. Buffers that only
    these ops use have a block's size. The pass runs before buffers get offsets.

    ```mlir
    linalg.generic ins(%x : memref<8x512xf32>) outs(%max : memref<8xf32>) { maximumf }
    linalg.generic ins(%x, %max) outs(%y : memref<8x512xf32>) { subf, exp }
    // becomes
    scf.for %block ... {
      linalg.generic ins(%rows : memref<2x512xf32, ...>) outs(%few : memref<2xf32>) { maximumf }
      linalg.generic ins(%rows, %few) outs(...) { subf, exp }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::weir::kernel::KernelDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SplitReductions : Pass<"weir-split-reductions", "::mlir::func::FuncOp">, Optional {
  let summary = "Divides long reductions into work items, for threads and short chains";
  let description = [{
    Loops that mostly reduce have no parallel dimension large enough for
    threads. Each work item along a reduced dimension has its own results, which
    are then combined in a fixed order. Long sums of rows are divided too,
    because the rounding errors of one chain of additions accumulate. The work
    items depend only on the loops, so any number of threads computes the same
    bits. The pass runs before buffers get offsets.

    ```mlir
    linalg.generic ins(%x : memref<1024x1024xf32>) outs(%sum : memref<f32>) { addf }
    // becomes
    kernel.parallel 64 {
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

#endif // WEIR_PASSES_CPU

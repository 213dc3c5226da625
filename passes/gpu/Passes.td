// Passes of the GPU stage: from linalg and kernels to launches and PTX.

#ifndef WEIR_PASSES_GPU
#define WEIR_PASSES_GPU

include "mlir/Pass/PassBase.td"
include "passes/gpu/launch/Passes.td"

def ShareThreads : Pass<"weir-share-threads", "::mlir::func::FuncOp"> {
  let summary = "Makes each element of a loop nest or kernel a work item";
  let description = [{
    Loop nests on memory, copies and the ops of the kernel dialect become
    `kernel.parallel` whose work items are the elements of the results. A thread
    of the GPU computes one, with reductions as loops that keep their sums in
    registers. Dimensions that do not separate results stay loops of one thread,
    and so do nests inside another loop. Functions without `weir.kernel` do not
    change.

    Long rows that are reduced to an element, and tiles of large products, are
    work items of whole blocks; `weir.block` of the op is their number of
    threads. Consecutive nests over the same rows, one of which reduces them,
    are one such op. A thread keeps up to eight elements of the row in registers
    from nest to nest, and intermediate values are never in memory. With more
    elements a thread has a loop for each nest, and stores them in memory. Nests
    that read along another dimension than they write use blocks too: they
    transpose through shared memory. For many elements a work item is four
    neighbours, which are loaded and stored together if they are aligned.

    Tiles of products of f16 and bf16 use `mma.sync`, and so do those of f32
    with `weir.precision = "tf32"`. For these and for f32, `cp.async` copies
    slices to shared memory while others are multiplied. In a module for
    `sm_90a` only, tiles of 16-bit floats use `wgmma` if the estimate finds less
    time. If there are few tiles, blocks share their depth, and another
    `kernel.parallel` adds up the partial sums. Right sides of products are not
    packed.

    A kernel.attention with heads of up to 512 elements is one such op. A block
    computes the scores of 64 rows, or of up to 16 if there are no more, tile by
    tile in registers. It reads its operands and writes its result through
    copies that only permute dimensions. If there would be few blocks, they
    share the columns, and a second op combines their results.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x50xf32>) outs(%y : memref<8xf32>) { add }
    // becomes
    kernel.parallel 8 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %c1 {
        %sum = scf.for %k = %c0 to %c50 step %c1 iter_args(...) { add }
        memref.store %sum, %y[%i]
      }
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect",
                           "mlir::scf::SCFDialect",
                           "::weir::kernel::KernelDialect"];
}

#endif // WEIR_PASSES_GPU

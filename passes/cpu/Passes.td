// Passes of the CPU stage: from linalg and kernels to the LLVM dialect.

#ifndef WEIR_PASSES_CPU
#define WEIR_PASSES_CPU

include "mlir/Pass/PassBase.td"
include "passes/cpu/loops/Passes.td"
include "passes/cpu/reductions/Passes.td"
include "passes/cpu/schedule/Passes.td"

def EmitKernels : Pass<"weir-emit-kernels"> {
  let summary = "Expands kernels on memrefs into loops over vector registers";
  let description = [{
    Each op of the kernel dialect becomes `scf.for` loops over tiles that fit
    the registers of `weir.target`, with its epilogue widened to vectors. Scratch
    memory is `memref.alloc` before the loops, so the pass runs before buffers
    get offsets. Private scratch of a work item that fits L1 is on the stack.
    `weir.nanoseconds` of a function estimates its time, if it is known.
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

def ShareRows : Pass<"weir-share-rows", "::mlir::func::FuncOp"> {
  let summary = "Shares loops over independent rows among threads";
  let description = [{
    Row-wise searches, such as TopK, overwrite scratch memory in each row. The
    attribute `weir.rows_apart` of the loop over rows estimates its time in
    nanoseconds. If it is long enough, threads share the rows, and each chunk has
    scratch memory of its own.

    ```mlir
    %scratch = memref.alloc() : memref<1000xi32>
    scf.for %row = %c0 to %c64 step %c1 { ... %scratch ... } {weir.rows_apart = 24000.0 : f64}
    // becomes
    kernel.parts 64 {
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

def MarkInPlace : Pass<"weir-mark-in-place"> {
  let summary = "Marks the inputs whose memory a kernel's output may share";
  let description = [{
    A kernel that is one loop over elements may write each element where it has
    read it. A kernel that first copies an input to its output needs no copy if
    both are one buffer. `weir.in_place` lists these inputs, as for epilogues
    (`weir-emit-kernels`). The plan then lets the kernel of a new value write to
    the variable, or to that of a loop, and a result alias an input that dies.

    ```mlir
    linalg.generic {indexing_maps = [#d0, #d0]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    // the function becomes
    func.func private @kernel_0(%x, %y) attributes {weir.in_place = array<i64: 0>}
    ```
  }];
}

def VectorizeLoops : Pass<"weir-vectorize-loops"> {
  let summary = "Turns loops over neighbouring 32-bit elements into vectors";
  let description = [{
    Applies to linalg ops on buffers whose body has a vector form. f16 and bf16
    are loaded and stored as such, and computed in f32. The lanes are the last
    dimension with contiguous elements; loops inside it may only reduce.
    Accumulators stay in registers. Maxima and minima keep NaN as `arith` defines
    it, but not the order of zeros. Rows that are reduced and come from beyond L2
    are prefetched. A copy that changes the contiguous dimension uses register
    transpose blocks, also for 16-bit and 8-bit elements: it loads rows and stores
    columns. A body may load from a row at the indices of a table, as in
    upsampling. If the indices are near each other, the lanes of one vector are
    permuted instead. All other ops stay for plain loops.

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

def ExpandMath : Pass<"weir-expand-math"> {
  let summary = "Expands functions of the math dialect into arithmetic";
  let description = [{
    The result is straight-line code on f32, for scalars and vectors alike, within
    a few units in the last place (docs/math.md). LLVM's loop vectorizer can widen
    it. f16 and bf16 are computed in f32. Functions of f64 stay. On a target
    without fused multiply-add, `math.fma` becomes a product and a sum. A value
    that becomes a byte is rounded by an addition, whose low bits are the byte.
    Without an instruction that rounds to bf16, integer operations do. An
    exponential is scaled once, not twice, if `weir.nonpositive` marks its operand
    as at most 0, or if its only use is a sum with a constant of magnitude 1 or
    more. Then it may be 0 below 2^-125.

    ```mlir
    %y = math.exp %x : f32
    // becomes
    %n = ... // x / ln 2, rounded
    %p = math.fma ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def BufferizeKernels : Pass<"weir-bufferize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Makes the operands and results of kernels memrefs";
  let description = [{
    The arguments of a kernel become memrefs: its inputs, which it does not write,
    and then its outputs. MLIR's one-shot bufferization does the rest.

    ```mlir
    func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32>
    // becomes
    func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PlanScratch : Pass<"weir-plan-scratch", "::mlir::func::FuncOp"> {
  let summary = "Places a kernel's own buffers in one block of scratch memory";
  let description = [{
    Each `memref.alloc` becomes a view at an offset into one more argument, whose
    size is the attribute `weir.scratch_bytes`. Buffers that are not used by the
    same top-level op may share bytes. No allocation remains. A buffer within
    `kernel.parts` exists once for each of the module's `weir.slots`.

    ```mlir
    %a = memref.alloc() : memref<4xf32>
    // becomes
    %a = memref.view %scratch[%c0][] : memref<64xi8> to memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OutlineParts : Pass<"weir-outline-parts", "::mlir::ModuleOp"> {
  let summary = "Makes each kernel.parts a kernel that threads share";
  let description = [{
    A kernel with `kernel.parts` becomes several, which run one after the other.
    Those of its parts have the range of work items and the worker slot as
    arguments.

    ```mlir
    plan.run @k(%x) : (memref<4xf32>)
    // becomes
    plan.run @k_phase_0(%x) {grains = 160 : i64} : (memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldCopies : Pass<"weir-fold-copies", "::mlir::func::FuncOp"> {
  let summary = "Lets products read and write transposed memory in place";
  let description = [{
    Removes a copy that only moves rows, from an argument to an operand of a
    product, or from the result of a product to a result. The product uses a view.
    The pass runs before kernels are emitted.

    ```mlir
    linalg.generic ins(%x : memref<8x2x64xf32>) outs(%t : memref<2x8x64xf32>) { yield }
    kernel.matmul ins(%t, %w : ...)
    // becomes
    %v = memref.reinterpret_cast %x ... to memref<2x8x64xf32, strided<[64, 128, 1]>>
    kernel.matmul ins(%v, %w : ...)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FuseRows : Pass<"weir-fuse-rows", "::mlir::func::FuncOp"> {
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

def BlockAttention : Pass<"weir-block-attention", "::mlir::func::FuncOp"> {
  let summary = "Makes the two products of an attention a loop over blocks of rows";
  let description = [{
    Applies to a product on buffers, loops over its rows, and a product of their
    results. A block has as many rows as half of L2 holds. The buffers in between
    have a block's size, and are one buffer if the loops can write in place. Right
    sides are packed for each batch, or in advance if there are few batches. The
    pass runs before kernels are emitted.

    ```mlir
    kernel.matmul ins(%q, %k : ...) outs(%s : memref<8x512x512xf32>) { ... }
    linalg.generic ins(%s : ...) outs(%p : memref<8x512x512xf32>) { ... }
    kernel.matmul ins(%p, %v : ...) outs(%o : memref<8x512x64xf32>) { ... }
    // becomes
    scf.for %block ... {
      kernel.matmul ins(%rows_of_q, %batch_of_k : ...) outs(%s : memref<1x128x512xf32>) { ... }
      linalg.generic ins(%s : ...) outs(%s : ...) { ... }
      kernel.matmul ins(%s, %batch_of_v : ...) outs(%rows_of_o : ...) { ... }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::weir::kernel::KernelDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def FormRowWaves : Pass<"weir-form-row-waves", "::mlir::ModuleOp"> {
  let summary = "Groups tasks for row-wise fusion into one parallel region";
  let description = [{
    Consecutive tasks form a group `by_rows` if each row of a task's results needs
    only the same row of earlier results. Threads compute blocks of rows of all
    these tasks without a barrier in between, while the block is in a near cache.
    The kernels get `weir.row_blocks`: the number of rows, and of rows per work
    item. If other tasks run the kernel as well, a copy of it gets the attribute.
    Each block reads all operands that are not row-wise, which must fit L2. The
    results of a group are live together, and must fit the L2 of all threads. A
    module with `weir.remat` does not change.

    ```mlir
    %a = plan.task @project(%x, %w) : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %b = plan.task @normalize(%a) : (tensor<128x64xf32>) -> tensor<128x64xf32>
    // becomes
    %a = plan.task @project(%x, %w) {by_rows, wave = 0 : i64} : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %b = plan.task @normalize(%a) {by_rows, wave = 0 : i64} : (tensor<128x64xf32>) -> tensor<128x64xf32>
    // where both functions have
    {weir.row_blocks = array<i64: 128, 32>}
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def ShareLoops : Pass<"weir-share-loops", "::mlir::func::FuncOp"> {
  let summary = "Divides loops over large buffers into work items for threads";
  let description = [{
    The work items are slices along a parallel dimension and the outermost ones,
    in `kernel.parts`. Their size depends on the loops and on whether there are
    threads. Loops of little work do not change.

    ```mlir
    linalg.generic ... ins(%x : memref<4096x256xf32>) outs(%y : ...)
    // becomes
    kernel.parts 128 {
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

def LowerExtremes : Pass<"weir-lower-extremes"> {
  let summary = "Makes maxima and minima of 16-bit floats comparisons";
  let description = [{
    ```mlir
    %m = arith.maximumf %x, %y : f16
    // becomes
    %m = arith.select (arith.cmpf uno, %y, %y), %y,
         (arith.select (arith.cmpf ugt, %x, %y), %x, %y)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WidenTruths : Pass<"weir-widen-truths", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Stores i1 values as bytes, of which only 0 is false";
  let description = [{
    The bytes may come from a caller, and are not checked.

    ```mlir
    %x = llvm.load %from : !llvm.ptr -> i1
    llvm.store %x, %to : i1, !llvm.ptr
    // becomes
    %byte = llvm.load %from : !llvm.ptr -> i8
    %x = llvm.icmp "ne" %byte, %zero : i8
    llvm.store (llvm.zext %x : i1 to i8), %to : i8, !llvm.ptr
    ```
  }];
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

def LowerMath : Pass<"weir-lower-math", "::mlir::ModuleOp"> {
  let summary = "Makes calls of functions that MLIR would approximate by others";
  let description = [{
    The functions are `expm1` and `log1p` of libm. MLIR's expansions `exp(x) - 1`
    and `log(1 + x)` have no correct digit near 0.

    ```mlir
    %y = math.expm1 %x : f32
    // becomes
    %y = call @expm1f(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerPlan : Pass<"weir-lower-plan", "::mlir::ModuleOp"> {
  let summary = "Makes each plan an LLVM function that calls the kernels";
  let description = [{
    The arguments are the arena, the weights, an array of the caller's tensors
    and the team that shares the work. The function returns the run's status: 0,
    or the number of the check that failed.

    ```mlir
    plan.program @weir_entry_0 { ... }
    // becomes
    llvm.func @weir_entry_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // WEIR_PASSES_CPU

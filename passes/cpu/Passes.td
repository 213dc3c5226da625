// Passes of the CPU stage: from linalg and kernels to the LLVM dialect.

#ifndef WEIR_PASSES_CPU
#define WEIR_PASSES_CPU

include "mlir/Pass/PassBase.td"
include "passes/cpu/loops/Passes.td"
include "passes/cpu/reductions/Passes.td"

def EmitKernels : Pass<"weir-emit-kernels"> {
  let summary = "Expands kernels on memrefs into loops over vector registers";
  let description = [{
    Each op of the kernel dialect becomes `scf.for` loops over tiles that fit
    the registers of `weir.target`, its epilogue widened to vectors. Scratch is
    `memref.alloc` before the loops, so this runs before buffers are placed;
    what each part of a loop has for itself, and L1 holds, is on the stack. A
    function whose work can be told gets it as `weir.nanoseconds`, roughly;
    `weir.in_place` lists arguments that the epilogue alone reads, each element
    just before the result of its place is written, unless sums wait there.

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
  let summary = "Makes parts of loops over rows that do not depend on each other";
  let description = [{
    What is found in a row, as its largest elements are, is found by loops that
    write over what they need besides. Where `weir.rows_apart` of the loop over rows
    says that they take long enough, in nanoseconds, threads share them, and each
    part has its own of what is written over.

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
  let summary = "Says which input's memory a kernel's output may share";
  let description = [{
    A kernel that is one loop over elements may write each where it has read it,
    and one that first copies an input to its output needs no copy where both are
    one place. `weir.in_place` lists these inputs, as it does for epilogues
    (`weir-emit-kernels`); the plan then assigns a variable, or that of a loop, by
    the kernel that computes its new value, and makes results where an input ends.

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
    For linalg ops on buffers whose body has a vector form; floats of 16 bits are
    read and written as such, and computed with as f32. The lanes are the
    last dimension where neighbours lie side by side in memory; loops inside it
    may only reduce. Accumulators stay in registers, and of an extreme only the
    NaN is kept as `arith` says, not the order of zeros. Rows that are reduced
    and come from beyond L2 are fetched ahead of their reads. A copy that changes
    which dimension lies side by side goes by squares, also of halves and bytes,
    whose rows are loaded and whose columns are stored. Where a body loads from a
    row at places of a table, as of an image that is enlarged, and these turn out to
    be near each other, the lanes of a vector change places. All else is left for
    plain loops.

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
    Straight-line code on f32, scalars and vectors alike, within a few units in
    the last place (docs/math.md), which LLVM's loop vectorizer can widen; f16
    and bf16 go through f32. Functions of f64 stay. Where the target has no
    fused multiply-add, `math.fma` becomes a product and a sum. What is rounded
    to become a byte is rounded by an addition, whose low bits are the byte.
    Where no instruction rounds to bf16, integers do.
    An exponential is scaled once, not twice, where `weir.nonpositive` says that
    its operand is not above 0, or where all that it is for is a sum with a
    constant of magnitude 1 or more: below 2^-125 it may be 0 there.

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
  let summary = "Gives kernels their operands and results as memory";
  let description = [{
    A kernel takes its inputs, which it does not write, and its outputs, which
    it writes straight into, as memrefs. Upstream's one-shot bufferization does
    the rest.

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
    same top-level op may share bytes. No allocation is left. A buffer within
    `kernel.parts` is there once for each of the module's `weir.slots`.

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
    A kernel with `kernel.parts` becomes several, which run one after the other:
    those of its parts take the range of grains and the slot as arguments.

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
    A copy that only moves rows, of an argument to what products read, or of what
    a product makes to a result, is left out: the product takes a view. Runs
    before kernels are emitted.

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
    For linalg ops on buffers that follow each other, at least one of which
    reduces rows, where each reads of the others' results its own rows only. A
    block is as many rows as fit L1, or fewer where they come from beyond L2;
    buffers that only these ops use are of a block's size. Runs before buffers
    are placed.

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
    For a product on buffers, loops over its rows, and a product of what they make.
    A block is as many rows as half of L2 holds; the buffers in between are of
    a block's size, and one where loops can write in place. Right sides are packed
    for the batch at hand, or before where there are few batches. Runs before kernels
    are emitted.

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
  let summary = "Makes tasks that need their own rows alone one wave";
  let description = [{
    Tasks that follow each other become a wave `by_rows` where a row of each
    one's results is made of the same row of what the earlier ones make: threads
    do blocks of rows of all of them without meeting in between, and find what
    they have made of a block near. Kernels of such tasks get `weir.row_blocks`,
    how many rows there are and how many of them a grain; where other tasks run
    the kernel as well, a copy of it does. Each block reads all that is not by
    rows, which L2 is to hold, and the results of a wave live at one time, which
    are no more than the threads' L2. Nothing changes in a module with
    `weir.remat`.

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
  let summary = "Cuts loops over large buffers into grains for threads";
  let description = [{
    The grains are slices along a parallel dimension and the outermost ones, in
    `kernel.parts`; their size depends on the loops and on whether there are
    threads. Loops of little work stay.

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
  let summary = "Has truth values lie in memory as bytes, true but for 0";
  let description = [{
    What is read may be a caller's, whose bytes nobody has checked.

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
    A copy of one run of bytes stays, and becomes a memcpy. In a kernel whose
    output may be where one of its inputs is (`weir.aliases`), a copy from input
    to output asks first whether they are one place.

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
  let summary = "Makes functions that upstream would spell by others calls";
  let description = [{
    Of libm: `expm1` and `log1p`, which as `exp(x) - 1` and `log(1 + x)` would
    have no digit left near 0.

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
    The function takes the arena, the weights, an array of the caller's tensors
    and the team that shares the work, and gives the run's status: 0, or the
    number of the check that failed.

    ```mlir
    plan.program @weir_entry_0 { ... }
    // becomes
    llvm.func @weir_entry_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // WEIR_PASSES_CPU

// Passes from the graph dialect to linalg: the graph becomes loops.

#ifndef WEIR_PASSES_LOWER
#define WEIR_PASSES_LOWER

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"
include "passes/lower/custom/Passes.td"
include "passes/lower/libraries/Passes.td"

def LowerGraph : Pass<"weir-lower-graph"> {
  let summary = "Lowers the ops of the graph dialect to linalg on tensors";
  let description = [{
    Elementwise ops become `linalg.generic` by their `ScalarOpInterface`, the
    others by a pattern of their family. Unsigned integers become signless.
    Outer ops (constants, groups, control flow, checks) stay, and so does the
    softmax of an attention, for `weir-form-attention`.

    ```mlir
    %y = graph.exp %x : tensor<4xf32>
    // becomes
    %y = linalg.generic ... ins(%x) outs(%empty) { math.exp ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::tensor::TensorDialect",
                           "weir::kernel::KernelDialect"];
}

def OutlineGroups : Pass<"weir-outline-groups", "::mlir::ModuleOp"> {
  let summary = "Makes each group a function, and equal groups one";
  let description = [{
    Groups whose text is equal except for locations share a function. A kernel
    is compiled once, even if the graph repeats it.

    ```mlir
    %y = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    // becomes
    %y = plan.task @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::weir::plan::PlanDialect"];
}

def FitWeights : Pass<"weir-fit-weights", "::mlir::ModuleOp">, Optional {
  let summary = "Chooses the forms of constant weights for a budget of bytes";
  let description = [{
    The module's `weir.weights_budget` is the number of bytes that all constants
    may have. Without it, and where all fit, every weight has the form that
    takes the least time. Otherwise weights change their form, those first that
    lose the least time for each byte:

    - Each run transforms the filter of a Winograd convolution
      (`weir.transform_at_run`).
    - A convolution is a direct sum (`weir.direct`).
    - Weights of f32 that f16 or bf16 represents exactly are stored as such, and
      kernels widen them in registers (`weir.stored_as`, on a kernel's
      argument). Kernels for tile registers read f32.

    With `weir.limits_layouts` the budget also counts second layouts of weights
    that kernels share. If a kernel uses inner-product pairing and another reads
    plain panels, then both may read panels (`weir.without_pairing`, on an
    argument). The rest of the budget, `weir.weights_left`, is the room for the
    bf16 splits that `weir-choose-layouts` chooses for tile registers.

    ```mlir
    %y = graph.convolution %x, %w {...} : ...
    // becomes
    %y = graph.convolution %x, %w {..., weir.transform_at_run} : ...
    ```
  }];
}

def FuseScalars : Pass<"weir-fuse-scalars", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes one linalg.generic of elementwise ops that feed another";
  let description = [{
    A tree of ops with scalar functions becomes one loop nest whose body is
    their composition. Broadcasts and transposes of its operands become indexing
    maps, and splat constants become scalars. The pass runs in kernels only.

    ```mlir
    %a = graph.exp %x : tensor<4xf32>
    %b = graph.add %a, %y : tensor<4xf32>
    // becomes
    %b = linalg.generic ... ins(%x, %y) { math.exp ... arith.addf ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect"];
}

def RelaxArithmetic : Pass<"weir-relax-arithmetic", "::mlir::func::FuncOp">, Optional {
  let summary = "Sets the flags of `weir.fast_math` on the arithmetic of elements";
  let description = [{
    `weir.fast_math` of the module is a list of MLIR's flags for floats. The
    arithmetic of loops over elements, and of the epilogues of kernels, gets
    these flags. `ninf` is never set: weir's own formulas produce infinities (a
    sigmoid by the exponential of a large number). Functions such as the
    exponential become arithmetic later and keep their accuracy.

    ```mlir
    %v = arith.mulf %x, %y : f32
    // becomes, with weir.fast_math = "contract"
    %v = arith.mulf %x, %y fastmath<contract> : f32
    ```
  }];
}

def FuseEpilogues : Pass<"weir-fuse-epilogues">, Optional {
  let summary = "Moves elementwise loops over a kernel's result into its epilogue";
  let description = [{
    A `linalg.generic` of parallel loops becomes part of a kernel's epilogue if
    it is the only user of the kernel's result. Its other operands become
    extras. So a bias, an activation or a residual costs no pass over memory.

    ```mlir
    %c = kernel.matmul ins(%a, %b : ...) outs(%e : ...) { kernel.yield %sum }
    %d = linalg.generic ins(%c, %bias) outs(%f) { arith.addf }
    // becomes
    %d = kernel.matmul ins(%a, %b : ...) extras(%bias : ...) outs(%f : ...)
      { arith.addf, kernel.yield }
    ```
  }];
  let dependentDialects = ["weir::kernel::KernelDialect"];
}

def FormAttention : Pass<"weir-form-attention", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes one op of the products and the softmax of an attention";
  let description = [{
    A kernel.matmul, a softmax of its rows, at most one elementwise loop nest,
    and a kernel.matmul with these rows on its left become a kernel.attention,
    if nothing else reads the scores or the weights. Each target then decides
    how many scores exist at a time. A softmax that `weir-lower-graph` left for
    this and that has no such neighbors becomes loops.

    ```mlir
    %s = kernel.matmul ins(%q, %k : ...) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32> { ... }
    %p = graph.softmax %s : tensor<64x64xf32>
    %o = kernel.matmul ins(%p, %v : ...) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> { ... }
    // becomes
    %o = kernel.attention ins(%q, %k, %v : ...) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> scores { ... } weights { ... } epilogue { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect",
                           "::weir::kernel::KernelDialect"];
}

def ChooseLayouts : Pass<"weir-choose-layouts", "::mlir::ModuleOp"> {
  let summary = "Chooses how the weights of kernels lie in memory";
  let description = [{
    `weir-lower-graph` packs all weights in the layout `plain`. This pass sets
    another `#kernel.layout` on each `kernel.pack`, `kernel.pack_filter` and
    `kernel.transform_filter`, and on the kernel that reads it, or drops the
    pack. All decisions on layouts but that for cuDNN are here; later passes
    obey them:

    - Products of few rows by what a run computes read it as it is. Others read
      panels, whose width follows from the registers of the target.
    - Results of few columns are dot products, and read the K-major layout.
    - Constants that only products of few rows read have narrower panels.
    - Constants get the layout of tile registers or of dot products of bytes if
      that saves time, with the safe exponent range of the elements and the
      split of `weir.precision`. A budget (`weir.weights_left`) limits split
      weights.
    - Constants that `weir-fit-weights` stores as f16 or bf16 (`weir.stored_as`)
      get that type.
    - Other constants, and what each run packs, get the layout of inner-product
      pairing if that saves time. A left side that is transposed is then
      transposed back.

    ```mlir
    %p = kernel.pack ins(%w : tensor<784x512xf32>) layout <plain>
        outs(%e : tensor<784x512xf32>) -> tensor<784x512xf32>
    // becomes
    %p = kernel.pack ins(%w : tensor<784x512xf32>) layout <panels(48)>
        outs(%n : tensor<11x784x48xf32>) -> tensor<11x784x48xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PackWeights : Pass<"weir-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Packs constants at compile time";
  let description = [{
    Applies to an argument of a kernel whose only user is `kernel.pack`,
    `kernel.pack_filter` or `kernel.transform_filter`. If it is a constant in
    all tasks, the argument becomes the constant in the layout of that op. The
    pass frees the bytes of constants that no op names any more.

    ```mlir
    %y = plan.task @kernel_0(%x, %w) : (tensor<4x8xf32>, tensor<8x20xf32>) -> ...
    // becomes
    %y = plan.task @kernel_0(%x, %p) : (tensor<4x8xf32>, tensor<1x8x32xf32>) -> ...
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_LOWER

// Passes of the stage schedule: how each kernel is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE
#define WEIR_PASSES_CPU_SCHEDULE

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def BlockAttention : Pass<"weir-block-attention", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes an attention a loop over blocks of rows";
  let description = [{
    Applies to kernel.attention on buffers. A block has as many rows as half of L2
    holds. The buffers of its scores and weights have a block's size, and are one
    buffer if their types allow it. Right sides are packed for each batch, or in
    advance if there are few batches. The pass runs before kernels are emitted.

    ```mlir
    kernel.attention ins(%q, %k, %v : ...) outs(%o : memref<8x512x64xf32>) scores { ... } weights { ... } epilogue { ... }
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
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ChooseSchedules : Pass<"weir-choose-schedules"> {
  let summary = "Chooses how each kernel is blocked, copied and shared";
  let description = [{
    Each kernel on buffers gets the attribute `schedule`, which
    `weir-emit-kernels` obeys. The choice depends on the shapes and types of the
    kernel, on `weir.target`, and on the surroundings: a kernel in a loop is not
    shared among threads. A kernel that has a schedule keeps it.

    ```mlir
    kernel.matmul ins(%a, %b : ...) outs(%c : ...)
    // becomes
    kernel.matmul ins(%a, %b : ...) outs(%c : ...) attributes {schedule = #kernel.matmul_schedule<tile_rows = 9, ...>}
    ```
  }];
}

#endif // WEIR_PASSES_CPU_SCHEDULE

// Passes of the stage schedule: how each kernel is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE
#define WEIR_PASSES_CPU_SCHEDULE

include "mlir/Pass/PassBase.td"

def BlockAttention : Pass<"weir-block-attention", "::mlir::func::FuncOp"> {
  let summary = "Makes the two products of an attention a loop over blocks of rows";
  let description = [{
    Applies to a product on buffers, loops over its rows, and a product of their
    results. A block has as many rows as half of L2 holds. The buffers in between
    have a block's size, and are one buffer if the loops can write in place. Right
    sides are packed for each batch, or in advance if there are few batches. The
    pass runs before schedules are chosen: kernels in a loop are not shared.

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

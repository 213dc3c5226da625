// The pass that chooses how each kernel is computed.

#ifndef WEIR_PASSES_CPU_SCHEDULE
#define WEIR_PASSES_CPU_SCHEDULE

include "mlir/Pass/PassBase.td"

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

// Passes of the stage launch: kernels of the GPU get their grids.

#ifndef WEIR_PASSES_GPU_LAUNCH
#define WEIR_PASSES_GPU_LAUNCH

include "mlir/Pass/PassBase.td"

def FormLaunches : Pass<"weir-form-launches", "::mlir::ModuleOp"> {
  let summary = "Moves kernels into a module for the GPU, with a thread per work item";
  let description = [{
    Each function that a `plan.run` names moves into the module
    `@weir_gpu_kernels`, with `weir.launch`: blocks of the grid and threads of a
    block. A function with work items computes their range from its position in
    the grid instead of from arguments; any other runs on one thread. The
    module's `weir.gpu_kernels` lists their names, in the order of their
    numbers, and the shared memory of a launch in bytes, if it exceeds the
    default limit. Kernels with `weir.gemm`, `weir.conv` or `weir.attention`
    become rows of `weir.gpu_gemms`, `weir.gpu_convs` or `weir.gpu_attentions`
    instead. Arguments that are aligned to 16 bytes in each run are marked.
    Copies to shared memory from other arguments become narrower.

    ```mlir
    func.func private @k(%x: memref<4xf32>, %first: index, %last: index, %slot: index)
    plan.run @k(%b) {work_items = 1000 : i64} : (memref<4xf32>)
    // becomes
    module @weir_gpu_kernels {
      func.func @k(%x: memref<4xf32>) attributes {weir.launch = #weir.launch<blocks = 8, threads = 128>} {
        %block = nvvm.read.ptx.sreg.ctaid.x : i32
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect"];
}

#endif // WEIR_PASSES_GPU_LAUNCH

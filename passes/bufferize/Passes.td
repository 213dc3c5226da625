// Passes of the stage bufferize: kernels on tensors become kernels on memory.

#ifndef WEIR_PASSES_BUFFERIZE
#define WEIR_PASSES_BUFFERIZE

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def BufferizeKernels : Pass<"weir-bufferize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Makes the operands and results of kernels memrefs";
  let description = [{
    The arguments of a kernel become memrefs: its inputs, which it does not
    write, and then its outputs. MLIR's one-shot bufferization does the rest.

    ```mlir
    func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32>
    // becomes
    func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FoldCopies : Pass<"weir-fold-copies", "::mlir::func::FuncOp">, Optional {
  let summary = "Lets products read and write transposed memory in place";
  let description = [{
    Removes a copy that only moves rows, from an argument to an operand of a
    product, or from the result of a product to a result. The product uses a
    view. The pass runs before kernels are emitted.

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

def FormRowWiseGroups : Pass<"weir-form-row-wise-groups", "::mlir::ModuleOp">, Optional {
  let summary = "Groups tasks for row-wise fusion into one parallel region";
  let description = [{
    Consecutive tasks form a group `row_wise` if each row of a task's results
    needs only the same row of earlier results. Threads compute blocks of rows
    of all these tasks without a barrier in between, while the block is in a
    near cache. The kernels get `weir.row_blocks`: the number of rows, and of
    rows per work item. If other tasks run the kernel as well, a copy of it gets
    the attribute. Each block reads all operands that are not row-wise, which
    must fit L2. The results of a group are live together, and must fit the L2
    of all threads. A module with `weir.remat` does not change.

    ```mlir
    %a = plan.task @project(%x, %w) : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %b = plan.task @normalize(%a) : (tensor<128x64xf32>) -> tensor<128x64xf32>
    // becomes
    %a = plan.task @project(%x, %w) {row_wise, task_group = 0 : i64} : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %b = plan.task @normalize(%a) {row_wise, task_group = 0 : i64} : (tensor<128x64xf32>) -> tensor<128x64xf32>
    // where both functions have
    {weir.row_blocks = #weir.row_blocks<rows = 128, size = 32>}
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def CrossDevices : Pass<"weir-cross-devices", "::mlir::ModuleOp"> {
  let summary = "Copies values that one device computes and the other uses";
  let description = [{
    Operands and results of tasks with `host` are in the host's memory.
    Arguments, results, variables and the conditions of control flow are in the
    device's. A value that the other side uses is copied once, after its task,
    and a remark reports each copy. A reshape between two tasks of the host
    stays there. Kernels of the host move into the module `@weir_host_kernels`,
    on which the passes for a CPU run.

    ```mlir
    %h = plan.task @a(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
    return %h : tensor<4xf32>
    // becomes
    %1 = plan.transfer %x to host : tensor<4xf32>
    %h = plan.task @a(%1) {host} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = plan.transfer %h to device : tensor<4xf32>
    return %2 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect",
                           "::weir::plan::PlanDialect"];
}

#endif // WEIR_PASSES_BUFFERIZE

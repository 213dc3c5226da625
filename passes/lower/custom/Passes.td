// The pass that makes custom ops calls of the user's C functions.

#ifndef WEIR_PASSES_LOWER_CUSTOM
#define WEIR_PASSES_LOWER_CUSTOM

include "mlir/Pass/PassBase.td"

def LowerCustom : Pass<"weir-lower-custom", "::mlir::ModuleOp"> {
  let summary = "Makes custom ops calls of C functions";
  let description = [{
    A `graph.custom` becomes `kernel.parallel` whose region fills the structures
    of `runtime/weir_custom.h` on the stack and calls the function once for each
    part. Results are buffers until the kernel's tensors become memory.

    ```mlir
    %y, %failed = graph.custom "my_swish"(%x) parts 2 scratch 0 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
    // becomes
    %in = bufferization.to_memref %x read_only : memref<4xf32>
    %out = memref.alloc() : memref<4xf32>
    %status = memref.alloc() : memref<2xi32>
    kernel.parallel 2 { ... scf.for { llvm.call @my_swish(%call) ... } }
    %y = bufferization.to_tensor %out restrict writable
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::bufferization::BufferizationDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect",
                           "weir::kernel::KernelDialect"];
}

#endif // WEIR_PASSES_LOWER_CUSTOM

// Passes that leave kernels to cuBLASLt and cuDNN.

#ifndef WEIR_PASSES_LOWER_LIBRARIES
#define WEIR_PASSES_LOWER_LIBRARIES

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def UseLibraries : Pass<"weir-use-libraries", "::mlir::func::FuncOp">, Optional {
  let summary = "Leaves products, convolutions and attentions to libraries";
  let description = [{
    A kernel that is one matrix product, with an epilogue that cuBLASLt has too (a
    bias, a relu), is marked with `weir.gemm`. The attribute has the product, and
    the arguments that are its sides and its bias.

    A kernel that is a convolution along one or two dimensions is marked with
    `weir.conv`, for cuDNN. It may have a bias, a residual of the result's shape
    and a relu, with or without an upper bound. The attribute has the convolution,
    and the arguments that are images, filter, bias and residual. The filter is
    packed as `panels(1)`, so that each output's window is contiguous.
    Depthwise convolutions stay kernels.

    A kernel of the graph dialect that is a `graph.filter_gradient` is marked with
    `weir.conv` too, with `gradient` and with images and results as its operands:
    `weir-expand-filter-gradients` has left it for cuDNN.

    A kernel that is an attention of f16 or bf16 is marked with `weir.attention`.
    Its scores may have a factor and an added mask. Its heads have a multiple of 8
    contiguous elements, up to 256. The attribute has its sizes, the strides of
    batches, heads and rows of its arguments and of its result, and the arguments
    that are q, k, v and the mask.

    `library` of the module's `weir.gpu` is `"cublaslt"`, `"cudnn"` or
    `"cublaslt,cudnn"`: these libraries compute all that they support. With "auto"
    they compute the operations that should take less time, by the number of
    multiplications. For cuDNN this excludes groups and windows of more than 49
    elements. cuBLASLt has priority for products. Such a model needs the library
    at run time. cuDNN rounds a convolution of 16-bit elements once, at its end.

    ```mlir
    func.func private @k(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {weir.kernel} { kernel.matmul ... }
    // becomes
    func.func private @k(...) attributes {weir.gemm = #weir.gemm<m = 512, n = 512, k = 512, dtype = f32, workspace = 4194304, operands = [0, 1, -1]>, weir.kernel} { kernel.matmul ... }
    ```
  }];
  let dependentDialects = ["::weir::kernel::KernelDialect",
                           "mlir::tensor::TensorDialect"];
}

def OutlinePacks : Pass<"weir-outline-packs", "::mlir::ModuleOp">, Optional {
  let summary = "Adds a kernel that packs the run-time filters of a library's convolutions";
  let description = [{
    `weir-pack-weights` packs only constant filters of kernels with `weir.conv`. For
    other filters a separate kernel does so, as a task before each task of the
    convolution, whose operand is then the packed filter.

    ```mlir
    %y = plan.task @k(%x, %w) : (tensor<1x8x8x4xf32>, tensor<3x3x4x20xf32>) -> ...
    // becomes
    %p = plan.task @k_filter(%w) : (tensor<3x3x4x20xf32>) -> tensor<20x3x3x4x1xf32>
    %y = plan.task @k(%x, %p) : (tensor<1x8x8x4xf32>, tensor<20x3x3x4x1xf32>) -> ...
    ```
  }];
  let dependentDialects = ["::weir::kernel::KernelDialect",
                           "::weir::plan::PlanDialect",
                           "mlir::tensor::TensorDialect"];
}

#endif // WEIR_PASSES_LOWER_LIBRARIES

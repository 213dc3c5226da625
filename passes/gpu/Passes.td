// Passes of the GPU stage: from linalg and kernels to launches and PTX.

#ifndef WEIR_PASSES_GPU
#define WEIR_PASSES_GPU

include "mlir/Pass/PassBase.td"

def ExpandFilterGradients : Pass<"weir-expand-filter-gradients", "::mlir::func::FuncOp"> {
  let summary = "Makes gradients by filters convolutions, unless a library computes them";
  let description = [{
    A `graph.filter_gradient` becomes a convolution of the images, with their
    channels as the batch and the results as the filter. For 3 x 3 windows of f32
    and many channels it becomes a Winograd convolution, with fewer products. The
    op stays if `weir.gpu` of the module has `library = "cudnn"`. With "auto" it
    stays if cuDNN should take less time by the estimate of `weir-use-libraries`.
    In a model with parts on the host or a device all become convolutions.

    ```mlir
    %g = graph.filter_gradient %x, %r window [3, 3] strides [1, 1] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x6x6x5xf32>
    // becomes
    %0 = graph.transpose %r [1, 2, 0, 3] : tensor<2x6x6x5xf32>
    %y = graph.convolution %t, %0 strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<3x8x8x2xf32>, tensor<6x6x2x5xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def SpreadBiases : Pass<"weir-spread-biases", "::mlir::func::FuncOp"> {
  let summary = "Makes biases of equal numbers vectors, which libraries can add";
  let description = [{
    A splat constant that is added to a product or a convolution becomes a vector
    with an element for each column or channel. The vector is a resource, which no
    group copies into its kernel: an operand like any other bias. The pass runs
    only if `weir.gpu` of the module names a `library`. The bias of 16-bit results
    that are added in f32 has their type, if it can represent the number.

    ```mlir
    %b = graph.constant dense<0.5> : tensor<1x4x4x8xf32>
    %z = graph.add %y, %b : tensor<1x4x4x8xf32>
    // becomes
    %v = graph.constant dense_resource<bias> : tensor<8xf32>
    %b = graph.broadcast %v [3] : tensor<8xf32> to tensor<1x4x4x8xf32>
    %z = graph.add %y, %b : tensor<1x4x4x8xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def UseLibraries : Pass<"weir-use-libraries", "::mlir::func::FuncOp"> {
  let summary = "Leaves products, convolutions and attentions to libraries";
  let description = [{
    A kernel that is one matrix product, with an epilogue that cuBLASLt has too (a
    bias, a relu), is marked with `weir.gemm`. The attribute has the product, and
    the arguments that are its sides and its bias.

    A kernel that is a convolution along one or two dimensions is marked with
    `weir.conv`, for cuDNN. It may have a bias, a residual of the result's shape
    and a relu, with or without an upper bound. The attribute has the convolution,
    and the arguments that are images, filter, bias and residual. The filter is
    packed in the K-major layout, so that each output's window is contiguous.
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

def OutlinePacks : Pass<"weir-outline-packs", "::mlir::ModuleOp"> {
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

def ShareThreads : Pass<"weir-share-threads", "::mlir::func::FuncOp"> {
  let summary = "Makes each element of a loop nest or kernel a work item";
  let description = [{
    Loop nests on memory, copies and the ops of the kernel dialect become
    `kernel.parts` whose work items are the elements of the results. A thread of
    the GPU computes one, with reductions as loops that keep their sums in
    registers. Dimensions that do not separate results stay loops of one
    thread, and so do nests inside another loop. Functions without `weir.kernel`
    do not change.

    Long rows that are reduced to an element, and tiles of large products, are
    work items of whole blocks; `weir.block` of the op is their number of threads.
    Consecutive nests over the same rows, one of which reduces them, are one such
    op. A thread keeps up to eight elements of the row in registers from nest to
    nest, and intermediate values are never in memory. With more elements a thread
    has a loop for each nest, and stores them in memory. Nests that read along
    another dimension than they write use blocks too: they transpose through shared
    memory. For many elements a work item is four neighbours, which are loaded and
    stored together if they are aligned.

    Tiles of products of f16 and bf16 use `mma.sync`, and so do those of f32 with
    `weir.precision = "tf32"`. For these and for f32, `cp.async` copies slices to
    shared memory while others are multiplied. In a module for `sm_90a` only, tiles
    of 16-bit floats use `wgmma` if the estimate finds less time. If there are few
    tiles, blocks share their depth, and another `kernel.parts` adds up the partial
    sums. Right sides of products are not packed.

    Two products with the softmax of rows between them, of heads of up to 512
    elements, are one such op. A block computes the scores of 64 rows, or of up to
    16 if there are no more, tile by tile in registers. It reads its operands and
    writes its result through copies that only permute dimensions. If there would
    be few blocks, they share the columns, and a second op combines their results.

    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x50xf32>) outs(%y : memref<8xf32>) { add }
    // becomes
    kernel.parts 8 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %c1 {
        %sum = scf.for %k = %c0 to %c50 step %c1 iter_args(...) { add }
        memref.store %sum, %y[%i]
      }
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect",
                           "mlir::scf::SCFDialect",
                           "::weir::kernel::KernelDialect"];
}

def FormLaunches : Pass<"weir-form-launches", "::mlir::ModuleOp"> {
  let summary = "Moves kernels into a module for the GPU, with a thread per work item";
  let description = [{
    Each function that a `plan.run` names moves into the module
    `@weir_gpu_kernels`, with `weir.launch`: blocks of the grid and threads of a
    block. A function with work items computes their range from its position in the
    grid instead of from arguments; any other runs on one thread. The module's
    `weir.gpu_kernels` lists their names, in the order of their numbers, and the
    shared memory of a launch in bytes, if it exceeds the default limit. Kernels
    with `weir.gemm`, `weir.conv` or `weir.attention` become rows of
    `weir.gpu_gemms`, `weir.gpu_convs` or `weir.gpu_attentions` instead. Arguments
    that are aligned to 16 bytes in each run are marked. Copies to shared memory
    from other arguments become narrower.

    ```mlir
    func.func private @k(%x: memref<4xf32>, %first: index, %last: index, %slot: index)
    plan.run @k(%b) {grains = 1000 : i64} : (memref<4xf32>)
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

def IssueLaunches : Pass<"weir-issue-launches", "::mlir::ModuleOp"> {
  let summary = "Turns a plan into a function that issues work to a GPU";
  let description = [{
    Each `plan.program` becomes an LLVM function of (arena, weights, tensors,
    stream), and of state if the model has variables. It calls `weir_gpu_launch`,
    `weir_gpu_copy` and `weir_gpu_check`. For conditions it calls `weir_gpu_read`
    and waits for the byte. It also waits for checks of a program that uses
    variables, because these end it. Pointers are the device's: the function adds
    offsets to them and does not read through them. Entries whose program reads
    nothing back are marked `capturable` in `weir.entries`. Consecutive runs of the
    host become a function that is passed to `weir_gpu_on_host`, with
    `weir_gpu_to_host` and `weir_gpu_from_host` for copies.

    ```mlir
    plan.run @k(%b) : (memref<4xf32>)
    // becomes
    llvm.call @weir_gpu_launch(%stream, %0, %blocks, %1, %1, %threads, %1, %1, %none, %args, %count)
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def SerializeKernels : Pass<"weir-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns the module of kernels into PTX, for each architecture";
  let description = [{
    LLVM compiles `@weir_gpu_kernels`, which is in LLVM's dialect here, for the
    first architecture in `weir.gpu`. The result is text in `weir.gpu_images`. PTX
    of one architecture serves all later ones, except that of `sm_90a`, which is
    `specific`. With `cubins` there is machine code for each architecture as well,
    if NVIDIA's `ptxas` is found. For the simulator the module does not change.
    Parts of the kernels are compiled in parallel.

    ```mlir
    module attributes {weir.gpu = #weir.gpu<archs = ["sm_80"]>} { module @weir_gpu_kernels { llvm.func @k() } }
    // becomes
    weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 80, data = ".version 7.0 ...">]
    ```
  }];
  let options = [Option<"opsOfPart", "ops-of-part", "int64_t", "8192", "The minimum number of ops of a part">];
}

#endif // WEIR_PASSES_GPU

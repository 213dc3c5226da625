// Passes of the GPU stage: from linalg and kernels to launches and PTX.

#ifndef WEIR_PASSES_GPU
#define WEIR_PASSES_GPU

include "mlir/Pass/PassBase.td"

def ExpandFilterGradients : Pass<"weir-expand-filter-gradients", "::mlir::func::FuncOp"> {
  let summary = "Makes convolutions of gradients by filters that no library computes";
  let description = [{
    A `graph.filter_gradient` becomes the convolution of the images, with channels
    for a batch, with the results for a filter; or, of windows of 3 x 3 elements of
    f32 and many channels, fewer products. It stays one where the module's
    `weir.gpu` has `library = "cudnn"`, or "auto" and cuDNN should compute it in
    less time, as `weir-use-libraries` counts that. In a model with parts that are
    placed on the host or a device all become convolutions.

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
  let summary = "Makes biases of equal numbers vectors, which libraries add";
  let description = [{
    A constant of one number for all elements that is added to a product or a
    convolution becomes one for each column or channel, as a resource, which no
    group copies into its kernel: an operand, as any other bias. Only where the
    module's `weir.gpu` names a `library`. Of 16-bit results that are added in f32
    the bias is of their type, where that has the number.

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
  let summary = "Leaves products, convolutions and attentions to libraries, where that is asked for";
  let description = [{
    A kernel that is one product of matrices, whose epilogue cuBLASLt has too (a
    bias, a relu), is marked with `weir.gemm`: the product, and which of its
    arguments are the sides and the bias. One that is a convolution along one or
    two dimensions, with a bias, a residual of the result's shape and a relu, which
    may have an upper bound, or without, is marked with `weir.conv`: the convolution, and which of its
    arguments are images, filter, bias and residual, for cuDNN; its filter is
    packed by panels of one column, so that each output's window lies without
    gaps. Convolutions of one filter a channel stay kernels.

    A kernel of the graph dialect that is a `graph.filter_gradient` is marked with
    `weir.conv` too, which says `gradient` and as its operands images and results: it
    is cuDNN's since `weir-expand-filter-gradients` has left it.

    One that is an attention of f16 or bf16, whose scores have a factor and a mask
    added to them or not, of heads whose elements are a multiple of 8 up to 256 and stand
    beside each other, is marked with `weir.attention`: its sizes, how far batches, heads
    and rows of its arguments and of its result lie apart, and which arguments are q, k,
    v and the mask.

    The module's `weir.gpu` says by `library = "cublaslt"`, `"cudnn"` or
    `"cublaslt,cudnn"` that all is theirs that they can do, and by "auto" what they
    should do in less time by the number of multiplications, which for cuDNN is
    nothing with groups and no window of more than 49 elements. A product is
    cuBLASLt's first. Such a model needs the library where it runs. Of 16-bit
    elements a convolution by cuDNN is rounded once, at its end.

    ```mlir
    func.func private @k(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {weir.kernel} { kernel.matmul ... }
    // becomes
    func.func private @k(...) attributes {weir.gemm = {batch = 1 : i64, dtype = "f32", k = 512 : i64, m = 512 : i64, n = 512 : i64, operands = array<i64: 0, 1, -1>, workspace = 4194304 : i64}, weir.kernel} { kernel.matmul ... }
    ```
  }];
  let dependentDialects = ["::weir::kernel::KernelDialect",
                           "mlir::tensor::TensorDialect"];
}

def OutlinePacks : Pass<"weir-outline-packs", "::mlir::ModuleOp"> {
  let summary = "Gives filters that a library reads, and the run makes, a kernel that packs them";
  let description = [{
    Where `weir-pack-weights` has not packed the filter of a kernel with
    `weir.conv`, because it is no constant, a kernel of its own does so, as a task
    before each task of the other, which then takes the filter packed.

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
  let summary = "Gives each element of a loop nest or kernel a grain of its own";
  let description = [{
    Loop nests on memory, copies and the ops of the kernel dialect become
    `kernel.parts` whose grains are the elements of the results: a thread of the
    GPU computes one, with reductions as loops that keep their sums in
    registers. Dimensions along which results are not apart stay loops of one
    thread. What is inside another loop stays one thread's. Functions without
    `weir.kernel` are left alone.

    Long rows that are reduced to an element, and tiles of large products, are
    grains of whole blocks: the op then says by `weir.block` of how many threads.
    Nests that follow each other over the same rows, one of which reduces them, are
    one such op: a thread keeps its elements of the row, up to eight, in registers
    from nest to nest, and what only these nests need is never in memory. Of more
    elements a thread has a loop for each nest, and leaves them in memory. So are
    nests that read along another dimension than they write: squares of what they
    read go by way of shared memory. Of many elements a grain is four neighbours, which
    are loaded and stored at once where they are aligned. Tiles of products of f16 and
    of bf16 are `mma.sync`'s, and so are those of f32 where the module has
    `weir.precision = "tf32"`; of these and of f32 slices are copied to shared memory by
    `cp.async` while others are multiplied. Where the module is for `sm_90a` alone, tiles of
    16-bit floats are `wgmma`'s if that is estimated to take less time. Where tiles are few, blocks share their
    depth, and a `kernel.parts` behind adds up what they leave. Right sides of products are not packed.

    Two products with the softmax of rows between them, of heads of up to 512
    elements, are one such op: a block makes the scores of 64 rows, or of up to 16
    where there are no more, tile by tile in registers, and reads its sides and writes
    its result through copies that only turn dimensions. Where blocks would be few, they
    share the columns, and a second op adds up what they leave.

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
  let summary = "Moves kernels into a module for the GPU, a thread a grain";
  let description = [{
    Each function that a `plan.run` names moves into the module
    `@weir_gpu_kernels`, with `weir.launch`: blocks of the grid and threads of a
    block. One that takes grains gets them from its place in the grid instead of
    from arguments; any other is run by one thread. The module's
    `weir.gpu_kernels` lists their names, in the order of their numbers, and the bytes of
    shared memory that a launch asks for where that is more than a kernel has anyway. Kernels
    with `weir.gemm`, `weir.conv` or `weir.attention` become rows of `weir.gpu_gemms`,
    `weir.gpu_convs` or `weir.gpu_attentions` instead. Arguments that are
    aligned to 16 bytes in each run say so; copies to shared memory from others
    become narrower.

    ```mlir
    func.func private @k(%x: memref<4xf32>, %first: index, %last: index, %slot: index)
    plan.run @k(%b) {grains = 1000 : i64} : (memref<4xf32>)
    // becomes
    module @weir_gpu_kernels {
      func.func @k(%x: memref<4xf32>) attributes {weir.launch = array<i64: 8, 128>} {
        %block = nvvm.read.ptx.sreg.ctaid.x : i32
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect",
                           "mlir::NVVM::NVVMDialect"];
}

def IssueLaunches : Pass<"weir-issue-launches", "::mlir::ModuleOp"> {
  let summary = "Turns a plan into a function that gives a GPU its work";
  let description = [{
    Each `plan.program` becomes an LLVM function of (arena, weights, tensors,
    stream), and state where the model has variables, that calls
    `weir_gpu_launch`, `weir_gpu_copy`, `weir_gpu_check` and, for conditions,
    `weir_gpu_read`, whose byte the host waits for; as it does for checks of a
    program that uses variables, which end it. Pointers are the
    device's: it adds offsets to them and reads nothing through them. Entries
    whose program reads nothing are marked `capturable` in `weir.entries`. Runs of
    the host that follow each other become a function that `weir_gpu_on_host`
    gets, with `weir_gpu_to_host` and `weir_gpu_from_host` for copies.

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
    `@weir_gpu_kernels`, which is in LLVM's dialect by now, is compiled by LLVM
    for the first of the architectures that `weir.gpu` lists and becomes text in
    `weir.gpu_images`: PTX of one architecture serves all later ones, but for `sm_90a`'s,
    which is `specific`. With `cubins` there is machine
    code for each as well, where NVIDIA's `ptxas` is found. For the simulator the module stays as it is.
    Kernels are compiled in parts, beside each other.

    ```mlir
    module attributes {weir.gpu = {archs = ["sm_80"], kind = "cuda"}} { module @weir_gpu_kernels { llvm.func @k() } }
    // becomes
    weir.gpu_images = [ {data = ".version 7.0 ...", kind = "ptx", sm = 80 : i64} ]
    ```
  }];
  let options = [Option<"opsOfPart", "ops-of-part", "int64_t", "8192", "The fewest ops of a part">];
}

#endif // WEIR_PASSES_GPU

// Passes from the graph dialect to itself: the graph gets smaller.

#ifndef WEIR_PASSES_GRAPH
#define WEIR_PASSES_GRAPH

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"
include "passes/graph/layout/Passes.td"

def PruneUnused : Pass<"weir-prune-unused", "::mlir::ModuleOp"> {
  let summary = "Erases ops that no result and no check needs";
  let description = [{
    Erases dead ops, checks of conditions that are known to hold, loop variables
    that never change or are never read, and private functions without calls.
    Checks that may fail stay, with all that they need. The pass frees the bytes
    of resources that no op names any more.

    ```mlir
    %c = graph.constant dense<true> : tensor<i1>
    graph.check %c, "node 'assert': condition is false" : tensor<i1>
    // both go
    ```
  }];
}

def ReturnKept : Pass<"weir-return-kept", "::mlir::ModuleOp"> {
  let summary = "Makes kept values results of their function";
  let description = [{
    The pass comes before all passes that remove nodes or fold them. A value in
    a conditional or in the body of a loop becomes a result of that op: the last
    iteration gives it. If its branch or its loop does not run, it is zero. Of
    several values of one name the last one counts. A tensor that the function
    returns already is not returned twice. The pass warns of a value in the
    condition of a loop, which has no result.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %h = graph.exp %x : tensor<4xf32>
      graph.keep %h, "h:0" : tensor<4xf32>
      %y = graph.neg %h : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32> {weir.name = "h", weir.tensor = "h:0"}) {
      %h = graph.exp %x : tensor<4xf32>
      %y = graph.neg %h : tensor<4xf32>
      return %y, %h : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def InsertInit : Pass<"weir-insert-init", "::mlir::ModuleOp"> {
  let summary = "Makes an entry assign the variables' initial values";
  let description = [{
    The entry with the attribute `weir.init` first assigns every variable that
    has an initial value. The pass adds such an entry if there is none.

    ```mlir
    graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
    // becomes
    graph.variable @steps : tensor<i64>
    func.func @init() attributes {weir.entry = "init", weir.init} {
      %c = graph.constant dense<0> : tensor<i64>
      graph.write_variable @steps, %c : tensor<i64>
      return
    }
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect",
                           "::mlir::func::FuncDialect"];
}

def FoldConstants : Pass<"weir-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Computes ops that depend on constants only";
  let description = [{
    Handles tensors that are too large for the folders of the ops. It moves raw
    bytes, evaluates the scalar functions of elementwise ops over whole arrays,
    and reduces i1 values by all and any. It never makes a constant over
    `max-bytes`, nor one much larger than its operands: a broadcast stays.

    ```mlir
    %w = graph.constant dense_resource<w> : tensor<512x1024xf32>
    %t = graph.transpose %w [1, 0] : tensor<512x1024xf32>
    // becomes
    %t = graph.constant dense_resource<folded> : tensor<1024x512xf32>
    ```

    An operation that could be undefined, such as a division by zero, is left to
    the run, which defines it.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "67108864",
                        "The maximum size of one result in bytes">];
}

def ComputeInF32 : Pass<"weir-compute-in-f32", "::mlir::ModuleOp"> {
  let summary = "Computes f16 and bf16 values in f32";
  let description = [{
    A CPU computes sums and functions of f16 and bf16 in f32 for any graph, and
    its kernels of f32 are faster. So values stay f32 between ops. They are
    rounded at results of the graph, at stores and at casts to 16 bits. This is
    at least as exact, and ONNX Runtime and XLA do the same by default. Ops that
    only move elements use f32 if their operands are f32.

    Constant operands of a product with one row keep their type, because the
    product waits for memory. If the constants exceed the caches, those of
    products with up to 8 rows do too. So do constants that would be too large
    to fold. Contractions of bf16 do not change, because processors have
    instructions for them. Nothing changes for a GPU.

    ```mlir
    %1 = graph.exp %0 : tensor<4xf16>
    %2 = graph.add %1, %0 : tensor<4xf16>
    // becomes
    %x = graph.cast %0 : tensor<4xf16> to tensor<4xf32>
    %1 = graph.exp %x : tensor<4xf32>
    %s = graph.add %1, %x : tensor<4xf32>
    %2 = graph.cast %s : tensor<4xf32> to tensor<4xf16>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "67108864",
                        "The maximum size of a constant as f32, in bytes">];
}

def FormByteProducts : Pass<"weir-form-byte-products", "::mlir::ModuleOp">, Optional {
  let summary = "Multiplies quantized operands as bytes";
  let description = [{
    Applies to matrix products and convolutions of an operand that is quantized
    to bytes and a constant one, whose floats or centered integers are computed
    from bytes. The product reads the bytes, its sums are i32, and scales and
    zero points are applied to the sums. For a zero point `z`, the sum of a
    column of weights times `-z` is added; padded images are padded with `z`
    before.

    If both scales are known, so is the factor of a sum. A bias of integer
    multiples of the factors is added to the sums. A division by a scale that
    follows becomes a product, as in runtimes with quantized kernels. A
    quantization to signed bytes for such a product becomes one to unsigned
    bytes, in which NaN is the least. The pass does nothing for a GPU, or if
    weights are not known.

    ```mlir
    %x = graph.mul (graph.cast (graph.sub (graph.cast %bytes), %z)), %s
    %w = graph.mul (graph.cast (graph.cast %signed_bytes)), %scales
    %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32>
    // becomes
    %i = graph.matmul %bytes, %signed_bytes : tensor<4x8xui8>, tensor<8x6xi8>
    %y = graph.mul (graph.cast (graph.add %i, %less_z_times_sums)), %s_times_scales
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def FormPackedProducts : Pass<"weir-form-packed-products", "::mlir::ModuleOp"> {
  let summary = "Keeps constant quantized weights packed";
  let description = [{
    A matrix product whose right side is constant codes of 2, 4 or 8 bits with
    scales becomes a product with the packed codes
    (`dialects/kernel/PackedWeights.h`), which its kernel unpacks in registers.
    The same holds for bytes that are cast to integers, have a zero point
    subtracted, and are multiplied by a scale per column. The codes may be
    transposed. Scaled codes that are cast to f16 or bf16 and back are not
    rounded. Every other graph.dequantize becomes plain ops, which fold. For a
    GPU, and for models with gradients, these are all of them.

    Products of few columns do not change: their panels would be mostly padding.

    ```mlir
    %w = graph.dequantize %q, %s axis 1 block 32 bits 4 : tensor<40x64xui8>, tensor<40x2xf32>
    %y = graph.matmul %x, %w transpose_b : tensor<2x64xf32>, tensor<40x64xf32>
    // becomes
    %p = graph.constant dense_resource<packed> : tensor<2x1280xi8>
    %y = graph.packed_matmul %x, %p columns 40 bits 4 block 32 scales f32 zero 0 : tensor<2x64xf32>, tensor<2x1280xi8>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def FoldPads : Pass<"weir-fold-pads", "::mlir::ModuleOp">, Optional {
  let summary = "Folds margins into the padding of convolutions and pools";
  let description = [{
    Folds zeros into convolutions and, if they are counted, into average pools.
    Max pools accept margins that never exceed an element: negative infinity,
    and zeros around the results of `relu`, `relu6` and `abs`.

    ```mlir
    %1 = graph.pad %x, %zero low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0]
    %2 = graph.convolution %1, %w ... padding_low [0, 0] padding_high [0, 0]
    // becomes
    %2 = graph.convolution %x, %w ... padding_low [1, 1] padding_high [1, 1]
    ```
  }];
}

def JoinProducts : Pass<"weir-join-products", "::mlir::ModuleOp">, Optional {
  let summary = "Joins products of few rows by one constant matrix";
  let description = [{
    Joins four or more products of at most 8 rows, of f32 or f64. Rows that are
    concatenations are split, and the matrix with them. The parts that do not
    depend on another of the products are joined. The sum of a row is then one
    sum per part.

    ```mlir
    %y0 = graph.matmul (graph.concat %x0, %h0 axis 1), %w
    %y1 = graph.matmul (graph.concat %x1, %h1 axis 1), %w // %h1 depends on %y0
    // becomes
    %x = graph.matmul (graph.concat %x0, %x1 axis 0), %wx
    %y0 = graph.matmul %h0, %wh, plus row 0 of %x
    %y1 = graph.matmul %h1, %wh, plus row 1 of %x
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def FoldBatchNorm : Pass<"weir-fold-batch-norm", "::mlir::ModuleOp">, Optional {
  let summary = "Folds per-channel factors into filters";
  let description = [{
    After a convolution or a matrix product with a constant filter, products and
    quotients by constants that depend only on the output channel scale the
    filter; sums and differences with such constants become one bias. f32 and
    f64 only.

    ```mlir
    %1 = graph.convolution %x, %w ...
    %2 = graph.sub %1, %mean
    %3 = graph.mul %2, %scale
    %4 = graph.add %3, %offset
    // becomes
    %1 = graph.convolution %x, %w_scaled ...
    %4 = graph.add %1, %bias
    ```

    There is one rounding less per product: the last bits may differ from the
    framework's.
  }];
}

def FormImages : Pass<"weir-form-images", "::mlir::ModuleOp"> {
  let summary = "Makes 2-D convolutions of 3-D and 1-D ones";
  let description = [{
    A layer of 3-D results needs as many layers of the volume as a window has.
    They are concatenated along the channels of one image, and so are the
    filter's layers. For windows of one row and one column a layer becomes a row
    of an image instead. A 1-D input becomes an image of one row, for which
    Winograd convolutions exist. The pass does not change convolutions with
    groups, whose channels would not be contiguous, or of unsigned by signed
    bytes.

    ```mlir
    %y = graph.convolution %x, %w ... : tensor<1x8x9x9x4xf32>, tensor<3x3x3x4x20xf32>
    // becomes
    %a = graph.slice %x [0, 0, 0, 0, 0] to [1, 6, 9, 9, 4] ...
    %b = graph.slice %x [0, 1, 0, 0, 0] to [1, 7, 9, 9, 4] ...
    %c = graph.slice %x [0, 2, 0, 0, 0] to [1, 8, 9, 9, 4] ...
    %d = graph.concat %a, %b, %c axis 4 ...
    %y1 = graph.convolution %images, %filter ... : tensor<6x9x9x12xf32>, tensor<3x3x12x20xf32>
    %y = graph.reshape %y1 ...
    ```

    A sum has the same products; for volumes the accumulation order differs.
  }];
}

def DeduplicateConstants : Pass<"weir-deduplicate-constants",
                                "::mlir::ModuleOp">, Optional {
  let summary = "Keeps one of several constants with equal type and bytes";
  let description = [{
    Entries of one model share its weights; frameworks also write one constant
    many times.

    ```mlir
    %a = graph.constant dense_resource<w> : tensor<4xf32>
    %b = graph.constant dense_resource<equal_to_w> : tensor<4xf32>
    // %b becomes %a
    ```
  }];
}

def ExpandFilterGradients : Pass<"weir-expand-filter-gradients", "::mlir::func::FuncOp"> {
  let summary = "Makes gradients by filters convolutions, unless a library computes them";
  let description = [{
    A `graph.filter_gradient` becomes a convolution of the images, with their
    channels as the batch and the results as the filter. For 3 x 3 windows of
    f32 and many channels it becomes a Winograd convolution, with fewer
    products. The op stays if `weir.gpu` of the module has `library = "cudnn"`.
    With "auto" it stays if cuDNN should take less time by the estimate of
    `weir-use-libraries`. In a model with parts on the host or a device all
    become convolutions.

    ```mlir
    %g = graph.filter_gradient %x, %r window [3, 3] strides [1, 1] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x6x6x5xf32>
    // becomes
    %0 = graph.transpose %r [1, 2, 0, 3] : tensor<2x6x6x5xf32>
    %y = graph.convolution %t, %0 strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<3x8x8x2xf32>, tensor<6x6x2x5xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_GRAPH

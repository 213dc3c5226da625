// Passes from the graph dialect to itself: the graph gets smaller.

#ifndef WEIR_PASSES_GRAPH
#define WEIR_PASSES_GRAPH

include "mlir/Pass/PassBase.td"
include "passes/graph/layout/Passes.td"

def PruneUnused : Pass<"weir-prune-unused", "::mlir::ModuleOp"> {
  let summary = "Erases what no result and no check needs";
  let description = [{
    Dead ops, checks of what is known to hold, loop variables that never change
    or that nothing reads, private functions that nothing calls. Checks that may
    fail stay, with all they need. The bytes of resources that no op names any
    more are freed.

    ```mlir
    %c = graph.constant dense<true> : tensor<i1>
    graph.check %c, "node 'assert': condition is false" : tensor<i1>
    // both go
    ```
  }];
}

def InsertInit : Pass<"weir-insert-init", "::mlir::ModuleOp"> {
  let summary = "Has an entry assign the variables' initial values";
  let description = [{
    The entry whose attribute is `weir.init`, which is made where there is none,
    first assigns every variable that has an initial value.

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
  let summary = "Computes what depends on constants only";
  let description = [{
    For tensors that are too large for the folders of the ops: moves raw bytes,
    evaluates the scalar functions of elementwise ops over whole arrays, and tells
    whether all or any of many i1 values are true. Never makes a constant over
    `max-bytes`, nor one much larger than those it comes from: a broadcast stays.

    ```mlir
    %w = graph.constant dense_resource<w> : tensor<512x1024xf32>
    %t = graph.transpose %w [1, 0] : tensor<512x1024xf32>
    // becomes
    %t = graph.constant dense_resource<folded> : tensor<1024x512xf32>
    ```

    What could be undefined, such as a division by zero, is left to the run,
    which defines it.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "67108864",
                        "The most bytes of one result">];
}

def WidenHalves : Pass<"weir-widen-halves", "::mlir::ModuleOp"> {
  let summary = "Computes with floats of 16 bits as with f32";
  let description = [{
    A CPU makes sums and functions of f16 and bf16 in f32 whatever the graph
    says, and has kernels of f32 that are the faster; so values stay f32 between
    ops and are rounded where they leave the graph, are stored or are cast to
    halves. That is as exact or more so, and what ONNX Runtime and XLA do by
    themselves. What only moves elements takes f32 where these are at hand.

    What one row is multiplied by stays as it is stored: such a product waits for
    it. Where there are more constants than caches hold, those of up to 8 do. So
    does what would be too large to fold. Contractions of bf16 stay as they are, of
    which processors have products of their own, and all of a GPU.

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
                        "The most bytes of a constant as f32">];
}

def FormByteProducts : Pass<"weir-form-byte-products", "::mlir::ModuleOp"> {
  let summary = "Multiplies quantized operands as bytes";
  let description = [{
    Matrix products and convolutions of a bytewise quantized operand and a
    constant one, whose floats or centered integers are computed from bytes, take
    the bytes: sums are then of i32, and scales and zero points are applied to
    them. Of a zero point `z` that is the sum of a column of weights times `-z`,
    which is added; images with margins are padded with `z` before. Where
    both scales are known, so is the factor of a sum; a bias of whole multiples
    of the factors is added to the sums, and a division by a scale that follows
    becomes a product, as runtimes with quantized kernels have it. What is
    quantized to signed bytes for such a product is to unsigned ones instead, of
    which what is no number is the least. Not for a GPU, nor where weights are
    not known.

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
  let summary = "Leaves constant weights of few bits packed";
  let description = [{
    A matrix product whose right side is constant codes of 2, 4 or 8 bits with
    scales becomes one of the packed codes (`dialects/kernel/PackedWeights.h`),
    which its kernel unpacks in registers. So do bytes that are cast to integers,
    have a zero point subtracted, and are multiplied by a scale for each column.
    The codes may be transposed. Where scaled codes are cast to f16 or bf16 and
    back, they are not rounded. Every other graph.dequantize becomes plain ops,
    which fold. That is all of them for a GPU, and where gradients are asked for.

    Products of few columns stay as they are: they would be padding mostly.

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

def FoldPads : Pass<"weir-fold-pads", "::mlir::ModuleOp"> {
  let summary = "Folds margins into the padding of convolutions and pools";
  let description = [{
    Of zeros into convolutions and, counted, into pools of means. Into pools of
    the greatest what wins over no element: margins of negative infinity, and of
    zeros around the results of `relu`, `relu6` and `abs`.

    ```mlir
    %1 = graph.pad %x, %zero low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0]
    %2 = graph.convolution %1, %w ... padding_low [0, 0] padding_high [0, 0]
    // becomes
    %2 = graph.convolution %x, %w ... padding_low [1, 1] padding_high [1, 1]
    ```
  }];
}

def JoinProducts : Pass<"weir-join-products", "::mlir::ModuleOp"> {
  let summary = "Joins products of few rows by one constant matrix";
  let description = [{
    Four or more products of at most 8 rows, of f32 or f64. Rows that are
    concatenated of parts are split with the matrix, and the parts that depend
    on no other of the products are joined; the sum of a row is then made of one
    sum a part.

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

def FoldBatchNorm : Pass<"weir-fold-batch-norm", "::mlir::ModuleOp"> {
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

    A product of sums is rounded once less: the last bits may differ from the
    framework's.
  }];
}

def FormImages : Pass<"weir-form-images", "::mlir::ModuleOp"> {
  let summary = "Makes convolutions of volumes and of lines ones of images";
  let description = [{
    What a layer of results is made of, so many layers of a volume as a window
    has, are put side by side in the channels of one image. The filter's layers
    become channels, too. Of windows of one row and one column a layer becomes a
    row of an image instead. A line becomes an image of one row, of which minimal
    filters are known. Not with groups, whose channels would be apart, and not
    where unsigned bytes are multiplied by signed ones.

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

    The sum of a result is of the same products, of volumes in another order.
  }];
}

def DeduplicateConstants : Pass<"weir-deduplicate-constants",
                                "::mlir::ModuleOp"> {
  let summary = "Keeps one of constants with equal type and bytes";
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

#endif // WEIR_PASSES_GRAPH

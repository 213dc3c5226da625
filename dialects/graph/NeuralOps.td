// Matrix products, convolutions, pools and softmax: the layers of networks.

#ifndef WEIR_DIALECTS_GRAPH_NEURAL
#define WEIR_DIALECTS_GRAPH_NEURAL

include "dialects/graph/GraphBase.td"

def Graph_Size
    : Type<0DTensorOf<[I64]>.predicate, "a size, tensor<i64>",
           "::mlir::RankedTensorType">,
      BuildableType<
          "::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

def Graph_MatmulOp : Graph_Op<"matmul", [InferTypeOpAdaptor]> {
  let summary = "Matrix product over the last two dimensions";
  let description = [{
    - (C1) `a` and `b` have one element type; or `a` has ui8, `b` i8 and the
      result i32; or `a` has f32, `b` f16 or bf16 and the result f32. They have
      one rank of at least 2, and the same leading (batch) dimensions.
    - (C2) the contracted dimensions have one size.
    - (C3) `depth` requires operands of one type, f32 or f64.

    With `transpose_a`, `a` holds its matrices as `K x M`; with `transpose_b`,
    `b` as `N x K`. f16 and bf16 accumulate in f32. With `depth` each sum has only
    its first `depth` terms, at least 0 and at most all: others are not read.

    ```mlir
    %c = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf32>
    ```
  }];
  let fusion = "contraction";
  let arguments = (ins Graph_NumberTensor:$a, Graph_NumberTensor:$b,
                   Optional<Graph_Size>:$depth,
                   UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Graph_NumberTensor:$result);
  // Flags in the attribute dictionary would come too late for inference.
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    (`depth` $depth^)? attr-dict `:` type($a) `,` type($b)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                                 CArg<"bool", "false">:$transpose_a,
                                 CArg<"bool", "false">:$transpose_b), [{
    build($_builder, $_state, a, b, /*depth=*/::mlir::Value(), transpose_a,
          transpose_b);
  }]>];
  let derivative = "rule";
}

def Graph_ConvolutionOp : Graph_Op<"convolution", [InferTypeOpAdaptor]> {
  let summary = "Weighted sums over windows that slide along 1 to 3 dimensions";
  let description = [{
    `x` is a batch of images, channels last: `N, spatial..., CI`. `filter` is
    `spatial..., CI / groups, CO`, and the result `N, spatial..., CO`. The
    channels of `x` and of the result are divided into `groups` equal ranges. Each
    range of results reads only its range of `x`. Depthwise convolutions have as
    many groups as `x` has channels.

    The filter is not reversed. Its elements are `dilations` apart on `x`,
    which is padded with `padding_low` and `padding_high` zeros. f16 and bf16
    accumulate in f32.

    - (C1) `x` and `filter` have one element type, or `x` has ui8, `filter` i8
      and the result i32; and they have one rank of 3 to 5.
    - (C2) `strides`, `padding_low`, `padding_high` and `dilations` have a value
      for each spatial dimension; strides and dilations are positive, paddings
      not negative.
    - (C3) `groups` is positive and divides the channels of `x` and those of the
      result; the filter has the channels of one group.
    - (C4) the dilated filter is not empty and fits into the padded `x`.

    ```mlir
    %y = graph.convolution %x, %w strides [2, 2] padding_low [0, 0] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>
    ```
  }];
  let fusion = "contraction";
  let arguments = (ins Graph_NumberTensor:$x, Graph_NumberTensor:$filter,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding_low,
                   DenseI64ArrayAttr:$padding_high,
                   DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $filter `strides` $strides `padding_low` $padding_low `padding_high` $padding_high
    `dilations` $dilations `groups` $groups attr-dict `:` type($x) `,` type($filter)
  }];
  let derivative = "rule";
}

def Graph_FilterGradientOp : Graph_Op<"filter_gradient", [InferTypeOpAdaptor]> {
  let summary = "The gradient of a convolution by its filter";
  let description = [{
    `x` has the images of a `graph.convolution`, `N, spatial..., CI`. `results` has
    the gradients of its results, `N, spatial..., CO`. The gradient of an element of
    the filter is a sum of products. Each is an element of `x` that the filter
    element is multiplied with, times the gradient of its result. The result has a
    filter for each output channel, with the input channels last: `CO, window...,
    CI / groups`. f16 and bf16 accumulate in f32.

    Elements of a window outside of `x` are zero: `padding_low` before `x`, and after
    it as many as the windows reach.

    - (C1) `x` and `results` have one element type, one rank of 3 to 5, and as many
      images.
    - (C2) `window`, `strides`, `padding_low` and `dilations` have a value for each
      spatial dimension; paddings are not negative, the others positive.
    - (C3) `groups` is positive and divides the channels of both.

    ```mlir
    %g = graph.filter_gradient %x, %r window [3, 3] strides [2, 2] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$x, Graph_NumberTensor:$results,
                   DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$padding_low,
                   DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $results `window` $window `strides` $strides `padding_low` $padding_low
    `dilations` $dilations `groups` $groups attr-dict `:` type($x) `,` type($results)
  }];
  let derivative = "rule";
}

// Windows over the spatial dimensions of a tensor with channels last.
class Graph_PoolOp<string mnemonic, Type type>
    : Graph_Op<mnemonic, [InferTypeOpAdaptor]> {
  let arguments = (ins type:$x, DenseI64ArrayAttr:$window,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding_low,
                   DenseI64ArrayAttr:$padding_high);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $x `window` $window `strides` $strides `padding_low` $padding_low `padding_high` $padding_high
    attr-dict `:` type($x)
  }];
}

def Graph_PoolMaxOp : Graph_PoolOp<"pool_max", Graph_NumberTensor> {
  let summary = "The largest element of each window";
  let description = [{
    `x` is `N, spatial..., C`; the windows slide along the spatial dimensions.
    Padding never wins: it is below any element.

    - (C1) `x` has a rank of 3 to 5.
    - (C2) the attributes have a value for each spatial dimension; windows and
      strides are positive, paddings not negative and below the window.
    - (C3) the window fits into the padded `x`.

    ```mlir
    %y = graph.pool_max %x window [2, 2] strides [2, 2] padding_low [0, 0] padding_high [0, 0] : tensor<1x8x8x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_PoolAverageOp : Graph_PoolOp<"pool_average", Graph_FloatTensor> {
  let summary = "The mean of the elements of each window";
  let description = [{
    Windows are those of `pool_max`. Padding is not counted or, with
    `counts_padding`, counts as zeros. f16 and bf16 accumulate in f32.

    ```mlir
    %y = graph.pool_average %x window [3] strides [1] padding_low [1] padding_high [1] : tensor<1x8x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$x, DenseI64ArrayAttr:$window,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding_low,
                   DenseI64ArrayAttr:$padding_high, UnitAttr:$counts_padding);
  let derivative = "rule";
}

def Graph_PoolArgMaxOp : Graph_PoolOp<"pool_arg_max", Graph_NumberTensor> {
  let summary = "The index of the largest element of each window";
  let description = [{
    As `pool_max`, but returns the position of the first largest element in its
    image: its index in row-major order, without the first dimension of `x`. A
    NaN is the largest element only if it is the first of its window.

    ```mlir
    %i = graph.pool_arg_max %x window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xf32>
    ```
  }];
  let results = (outs Graph_TensorOf<[I64]>:$result);
  let derivative = "zero";
}

class Graph_SoftmaxLikeOp<string mnemonic>
    : Graph_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins Graph_FloatTensor:$x);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax"> {
  let summary = "Exponentials along the last dimension, divided by their sum";
  let description = [{
    Uses the distance to the largest element, so that no exponential overflows.
    f16 and bf16 are computed in f32. A row of -inf becomes a row of NaN. With
    `masked` it becomes a row of zeros, as attention defines it for a query
    without keys.

    - (C1) `x` has a dimension.

    ```mlir
    %y = graph.softmax %x : tensor<2x5xf32>
    %z = graph.softmax %x masked : tensor<2x5xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$x, UnitAttr:$masked);
  let assemblyFormat = "$x (`masked` $masked^)? attr-dict `:` type($x)";
  let tensorflow = ["Softmax"];
  let derivative = "rule";
}

def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax"> {
  let summary = "Logarithm of the softmax along the last dimension";
  let description = [{
    - (C1) `x` has a dimension.

    ```mlir
    %y = graph.log_softmax %x : tensor<2x5xf32>
    ```
  }];
  let tensorflow = ["LogSoftmax"];
  let derivative = "rule";
}

def Graph_SuppressOp : Graph_Op<"suppress", [InferTypeOpAdaptor]> {
  let summary = "The best boxes that do not overlap better ones";
  let description = [{
    Non-maximum suppression: selects the box of the highest score above
    `lowest_score` (of equal ones the first), up to `most` times. With a
    `softness` above 0 the scores of the others decrease with their overlap, to
    `score * exp(-overlap^2 / (2 * softness))`. Otherwise boxes that overlap a
    selected one by more than `overlap` are removed. A box is two opposite corners
    `y, x, y, x`. The overlap of two boxes is their intersection divided by their
    union.

    `indices` and `scores` have `limit` elements, zeros from `count` on. At most
    `limit` boxes are selected.

    - (C1) `boxes` is N x 4 and `candidates` has N elements.
    - (C2) `limit` is not negative.

    ```mlir
    %i, %s, %n = graph.suppress %b, %c, %overlap, %lowest, %soft, %most limit 5 : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
    ```
  }];
  let arguments = (ins Graph_TensorOf<[F32]>:$boxes,
                   Graph_TensorOf<[F32]>:$candidates,
                   0DTensorOf<[F32]>:$overlap, 0DTensorOf<[F32]>:$lowest_score,
                   0DTensorOf<[F32]>:$softness, 0DTensorOf<[I32]>:$most,
                   I64Attr:$limit);
  let results = (outs Graph_TensorOf<[I32]>:$indices,
                 Graph_TensorOf<[F32]>:$scores, 0DTensorOf<[I32]>:$count);
  let assemblyFormat = [{
    $boxes `,` $candidates `,` $overlap `,` $lowest_score `,` $softness `,` $most `limit` $limit attr-dict
    `:` type(operands)
  }];
}

#endif // WEIR_DIALECTS_GRAPH_NEURAL

// Ops that rearrange, select or make elements by positions known at compile
// time.

#ifndef WEIR_DIALECTS_GRAPH_SHAPE
#define WEIR_DIALECTS_GRAPH_SHAPE

include "dialects/graph/GraphBase.td"

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    - (C1) operand and result have one element type and as many elements.

    ```mlir
    %y = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_TransposeOp : Graph_Op<"transpose", [InferTypeOpAdaptor]> {
  let summary = "The same elements with the dimensions in another order";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of `x`.

    - (C1) `permutation` holds each dimension of `x` once.

    ```mlir
    %y = graph.transpose %x [1, 0] : tensor<2x3xf32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_BroadcastOp : Graph_Op<"broadcast"> {
  let summary = "Repeats elements along new and stretched dimensions";
  let description = [{
    Dimension `i` of `x` becomes dimension `dims[i]` of the result. It keeps its
    size, or is stretched from size 1 to any size.

    - (C1) operand and result have one element type.
    - (C2) `dims` holds one dimension of the result for each of `x`, ascending.
    - (C3) each dimension of `x` has size 1 or that of its result dimension.

    ```mlir
    %y = graph.broadcast %x [1] : tensor<3xf32> to tensor<2x3xf32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x $dims attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_SliceOp : Graph_Op<"slice", [InferTypeOpAdaptor]> {
  let summary = "A box of elements, taken with strides";
  let description = [{
    Along each dimension, selects the elements at `start`, `start + stride`, ...
    below `limit`.

    - (C1) starts, limits and strides have one number for each dimension.
    - (C2) strides are positive.
    - (C3) 0 <= start <= limit <= the dimension's size.

    ```mlir
    %y = graph.slice %x [0, 1] to [2, 6] by [1, 2] : tensor<2x6xf32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$starts,
                   DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x $starts `to` $limits `by` $strides attr-dict `:` type($x)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_PadOp
    : Graph_Op<"pad", [InferTypeOpAdaptor,
                       TypesMatchWith<"value is a scalar of x's element type",
                                      "x", "value",
                                      "::llvm::cast<::mlir::RankedTensorType>("
                                      "$_self).clone("
                                      "::llvm::ArrayRef<int64_t>{})">]> {
  let summary = "A tensor with a margin, and gaps, of one value";
  let description = [{
    `low` elements come before and `high` after those of each dimension, and
    `interior` between every two of them.

    - (C1) low, high and interior have one number for each dimension.
    - (C2) none of them is negative.
    - (C3) the result has no more than 2^58 elements.

    ```mlir
    %y = graph.pad %x, %v low [1, 0] high [0, 2] interior [0, 1] : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, 0DTensorOf<[Graph_Element]>:$value,
                   DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                   DenseI64ArrayAttr:$interior);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $value `low` $low `high` $high `interior` $interior attr-dict
    `:` type($x)
  }];
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_ConcatOp : Graph_Op<"concat", [InferTypeOpAdaptor]> {
  let summary = "Tensors one after another along a dimension";
  let description = [{
    - (C1) there is at least one operand.
    - (C2) `axis` is a dimension of the operands.
    - (C3) operands have one element type, and one shape but for `axis`.
    - (C4) the result has no more than 2^58 elements.

    ```mlir
    %y = graph.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<1x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_ReverseOp : Graph_Op<"reverse", [SameOperandsAndResultType]> {
  let summary = "The same elements in opposite order along dimensions";
  let description = [{
    - (C1) `dims` are dimensions of `x`, ascending and distinct.

    ```mlir
    %y = graph.reverse %x [1] : tensor<2x3xf32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x $dims attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_IotaOp : Graph_Op<"iota"> {
  let summary = "The index of each element along a dimension";
  let description = [{
    Numbers outside the range of the element type wrap; floats round.

    - (C1) `axis` is a dimension of the result.

    ```mlir
    %y = graph.iota axis 1 : tensor<2x3xi32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let derivative = "zero";
}

def Graph_EmptyOp : Graph_Op<"empty"> {
  let summary = "A tensor whose elements may have any value";
  let description = [{
    Its memory is never written: after the elements of a smaller tensor in a
    concatenation, it costs no time.

    ```mlir
    %y = graph.empty : tensor<2x3xf32>
    ```
  }];
  let fusion = "none";
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let derivative = "zero";
}

#endif // WEIR_DIALECTS_GRAPH_SHAPE

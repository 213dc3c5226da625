// Ops that choose, place or order elements by values known only at run time.
// Every index is made valid by the op itself: no value is unsafe.

#ifndef WEIR_DIALECTS_GRAPH_INDEX
#define WEIR_DIALECTS_GRAPH_INDEX

include "dialects/graph/GraphBase.td"
include "dialects/graph/IndexEnums.td"

def Graph_IndexScalar : 0DTensorOf<[I32, I64]>;

def Graph_GatherOp : Graph_Op<"gather", [InferTypeOpAdaptor]> {
  let summary = "Slices of a tensor along one dimension, by index";
  let description = [{
    The result has the dimensions of `x` before `axis`, those of `indices`
    without the first `batch_dims`, and those of `x` after `axis`. The first
    `batch_dims` dimensions of both are the same batch. An index outside of the
    dimension is clamped to its nearest end.

    - (C1) 0 <= batch_dims <= axis < rank of `x`; batch_dims <= rank of
      `indices`.
    - (C2) the first `batch_dims` dimensions of `x` and `indices` agree.
    - (C3) the result has no more than 2^58 elements.
    - (C4) if the result has elements, dimension `axis` has some too.

    ```mlir
    %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x3xf32>, tensor<4xi32>
    %z = graph.gather %x, %j axis 1 batch_dims 1 : tensor<2x3xf32>, tensor<2x4xi64>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                   I64Attr:$axis, I64Attr:$batch_dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis `batch_dims` $batch_dims attr-dict
    `:` type($x) `,` type($indices)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_GatherNdOp : Graph_Op<"gather_nd", [InferTypeOpAdaptor]> {
  let summary = "Slices of a tensor by index vectors";
  let description = [{
    The last dimension of `indices` holds vectors that index the leading
    dimensions of `x` after the first `batch_dims`, which are the same batch.
    An index outside of its dimension is clamped to its nearest end.

    - (C1) 0 <= batch_dims < rank of `indices`, and batch_dims + the length of
      the vectors <= rank of `x`.
    - (C2) the first `batch_dims` dimensions of `x` and `indices` agree.
    - (C3) the result has no more than 2^58 elements.
    - (C4) if the result has elements, the indexed dimensions have some too.

    ```mlir
    %y = graph.gather_nd %x, %i batch_dims 0 : tensor<2x3xf32>, tensor<4x2xi32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                   I64Attr:$batch_dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `batch_dims` $batch_dims attr-dict
    `:` type($x) `,` type($indices)
  }];
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_ScatterOp : Graph_Op<"scatter", [InferTypeOpAdaptor]> {
  let summary = "A tensor with updates written to, or combined with, slices of it";
  let description = [{
    The last dimension of `indices` holds vectors that index the leading
    dimensions of `x`; each selects the slice for its part of `updates`.
    Updates are applied in row-major order, each to the result of the one
    before. Those with an index outside of `x` are dropped.

    - (C1) the vectors are no longer than the rank of `x`, and `indices` has
      rank 1 or more.
    - (C2) updates have the element type of `x` and the shape of `indices`
      without its last dimension, followed by that of a slice of `x`.
    - (C3) for i1 the combiner is update, min or max.

    ```mlir
    %y = graph.scatter add %x, %i, %u : tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices,
                   Graph_Tensor:$updates, Graph_Combiner:$combiner);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $combiner $x `,` $indices `,` $updates attr-dict
    `:` type($x) `,` type($indices) `,` type($updates)
  }];
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_DynamicSliceOp : Graph_Op<"dynamic_slice", [InferTypeOpAdaptor]> {
  let summary = "A box of elements that starts at run-time indices";
  let description = [{
    A start is clamped so that the box is within `x`.

    - (C1) there is one start and one size for each dimension.
    - (C2) 0 <= size <= the dimension's size.

    ```mlir
    %y = graph.dynamic_slice %x [%i, %j] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_Tensor:$x, Variadic<Graph_IndexScalar>:$starts,
                   DenseI64ArrayAttr:$sizes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $starts `]` `sizes` $sizes attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let derivative = "rule";
}

def Graph_CompactOp : Graph_Op<"compact", [InferTypeOpAdaptor]> {
  let summary = "The elements in the corner of a padded buffer, contiguous";
  let description = [{
    The elements of `x` whose index along each of `dims` is below its size, in
    row-major order. Elements after them may have any value, or with `zeros` are
    zero. A size is clamped to 0 and the dimension's. With `permutation` these
    are the elements of `x` transposed by it, and `dims` are dimensions of the
    transposed tensor.

    - (C1) `dims` ascend, are dimensions of `x`, and there is a size for each.
    - (C2) `permutation` is empty or a permutation of the dimensions.

    ```mlir
    %y = graph.compact %x [%n] along [1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Variadic<0DTensorOf<[I64]>>:$sizes,
                   DenseI64ArrayAttr:$dims, UnitAttr:$zeros,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $sizes `]` `along` $dims (`zeros` $zeros^)?
    (`permuted` $permutation^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::ValueRange":$sizes,
                                 "::llvm::ArrayRef<int64_t>":$dims,
                                 "bool":$zeros), [{
    build($_builder, $_state, x, sizes, dims, zeros,
          ::llvm::ArrayRef<int64_t>());
  }]>];
  let derivative = "rule";
}

def Graph_SpreadOp : Graph_Op<"spread", [InferTypeOpAdaptor]> {
  let summary = "Contiguous elements, moved to the corner of a padded buffer";
  let description = [{
    The inverse of graph.compact: the first elements of `x` become, in row-major
    order, the elements of a tensor of `shape` whose index along each of `dims`
    is below its size. The others may have any value, or with `zeros` are
    zero. With `permutation` the result is that tensor transposed by it.

    - (C1) `dims` ascend, are dimensions of `shape`, and there is a size for each.
    - (C2) `x` has one dimension, of as many elements as `shape` has.
    - (C3) `permutation` is empty or a permutation of the dimensions.

    ```mlir
    %y = graph.spread %x [%n] along [1] to [2, 3] : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Variadic<0DTensorOf<[I64]>>:$sizes,
                   DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$shape,
                   UnitAttr:$zeros,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $sizes `]` `along` $dims `to` $shape (`zeros` $zeros^)?
    (`permuted` $permutation^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::ValueRange":$sizes,
                                 "::llvm::ArrayRef<int64_t>":$dims,
                                 "::llvm::ArrayRef<int64_t>":$shape,
                                 "bool":$zeros), [{
    build($_builder, $_state, x, sizes, dims, shape, zeros,
          ::llvm::ArrayRef<int64_t>());
  }]>];
  let derivative = "rule";
}

def Graph_FillBeyondOp : Graph_Op<"fill_beyond", [InferTypeOpAdaptor]> {
  let summary = "A value beyond the actual size of a dimension";
  let description = [{
    Equals `x`, with `value` at each index along `dim` from `size` up to `size +
    reach`. Elements after those may have any value. A negative size counts as
    0. The result is in place if `x` has no later use, so that only those
    elements are written.

    - (C1) `dim` is a dimension of `x`, `reach` is not negative, and `value` has
      the element type of `x`.

    ```mlir
    %y = graph.fill_beyond %x, %n, %v along 1 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<f32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, 0DTensorOf<[I64]>:$size,
                   Graph_Tensor:$value, I64Attr:$dim, I64Attr:$reach);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $size `,` $value `along` $dim `reach` $reach attr-dict
    `:` functional-type(operands, results)
  }];
  let derivative = "rule";
}

def Graph_DynamicUpdateSliceOp
    : Graph_Op<"dynamic_update_slice", [InferTypeOpAdaptor]> {
  let summary = "A tensor with a box of it replaced";
  let description = [{
    A start is clamped so that the box is within `x`.

    - (C1) `x` and `update` have one element type and one rank, and there is
      one start for each dimension.
    - (C2) no dimension of `update` is larger than that of `x`.

    ```mlir
    %y = graph.dynamic_update_slice %x, %u [%i, %j] : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$update,
                   Variadic<Graph_IndexScalar>:$starts);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $update `[` $starts `]` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_OneHotOp
    : Graph_Op<"one_hot", [InferTypeOpAdaptor, AllTypesMatch<["on", "off"]>]> {
  let summary = "A vector for each index, with one element `on`";
  let description = [{
    The vectors are along a new dimension `axis` of size `depth`: `on` at the
    index, `off` elsewhere. An index outside of 0 .. depth-1 has only `off`.

    - (C1) 0 <= axis <= rank of `indices`, and depth is not negative.
    - (C2) `on` and `off` have one type.
    - (C3) the result has no more than 2^58 elements.

    ```mlir
    %y = graph.one_hot %i, %on, %off depth 3 axis 1 : tensor<2xi64>, tensor<f32>
    ```
  }];
  let fusion = "injective";
  let arguments = (ins Graph_IntegerTensor:$indices,
                   0DTensorOf<[Graph_Element]>:$on,
                   0DTensorOf<[Graph_Element]>:$off, I64Attr:$depth,
                   I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $indices `,` $on `,` $off `depth` $depth `axis` $axis attr-dict
    `:` type($indices) `,` type($on)
  }];
  let hasFolder = 1;
  let derivative = "rule";
}

def Graph_SortOp : Graph_Op<"sort", [InferTypeOpAdaptor]> {
  let summary = "Sorts along the last dimension, and permutes other operands alike";
  let description = [{
    The first operand holds the keys. The sort is stable: equal keys keep their
    order, with `descending` too. A NaN counts as greater than every number.

    - (C1) there is at least one operand.
    - (C2) the operands have one shape, of rank 1 or more.

    ```mlir
    %s:2 = graph.sort %x, %i : tensor<2x3xf32>, tensor<2x3xi32>
    %d = graph.sort %x descending : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, UnitAttr:$descending);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let assemblyFormat = [{
    $inputs (`descending` $descending^)? attr-dict `:` type($inputs)
  }];
  let derivative = "rule";
}

def Graph_TopKOp : Graph_Op<"top_k", [InferTypeOpAdaptor]> {
  let summary = "The largest elements along the last dimension, and their indices";
  let description = [{
    They are in descending order. Of equal elements the one with the lower index
    comes first. A NaN counts as greater than every number.

    - (C1) `x` has rank 1 or more and 0 <= k <= the size of its last dimension.

    ```mlir
    %v, %i = graph.top_k %x k 2 : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, I64Attr:$k);
  let results = (outs Graph_Tensor:$values, Graph_TensorOf<[I32]>:$indices);
  let assemblyFormat = "$x `k` $k attr-dict `:` type($x)";
  let derivative = "rule";
}

def Graph_SearchSortedOp : Graph_Op<"search_sorted", [InferTypeOpAdaptor]> {
  let summary = "The positions of values in sorted rows";
  let description = [{
    For each value, counts the elements of its row of `sorted`, from the first
    on, that are less than it or, with `right`, not greater than it.

    - (C1) both have one element type and the same leading dimensions.

    ```mlir
    %i = graph.search_sorted %s, %x right : tensor<2x8xf32>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$sorted, Graph_NumberTensor:$values,
                   UnitAttr:$right);
  let results = (outs Graph_TensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $sorted `,` $values (`right` $right^)? attr-dict
    `:` type($sorted) `,` type($values)
  }];
  let derivative = "zero";
}

#endif // WEIR_DIALECTS_GRAPH_INDEX

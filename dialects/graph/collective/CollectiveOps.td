// Operations that the ranks of a mesh compute together.

#ifndef WEIR_DIALECTS_GRAPH_COLLECTIVE
#define WEIR_DIALECTS_GRAPH_COLLECTIVE

include "dialects/graph/GraphBase.td"
include "dialects/graph/collective/CollectiveEnums.td"

// Ranks work together if they differ only in their indices on `axes`. Their order
// is that of the mesh: the last axis varies fastest. Fusion never moves such an op
// into a kernel.

def Graph_AllReduceOp
    : Graph_Op<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "Combines the tensors of all ranks, element by element";
  let description = [{
    Each rank gets the same bits. The order of additions depends on the mesh
    only: ranks add in pairs, the nearest first.

    - (C1) the mesh has the axes, and each is named once.

    ```mlir
    %y = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_Combine:$combine, Graph_NumberTensor:$x,
                   StrArrayAttr:$axes);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$combine $x `over` $axes attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Graph_AllGatherOp : Graph_Op<"all_gather"> {
  let summary = "Joins the tensors of ranks along a dimension, in their order";
  let description = [{
    - (C1) the mesh has the axes, and each is named once.
    - (C2) dimension `along` of the result is that of `x` times the number of
      ranks; the others are equal.

    ```mlir
    %y = graph.all_gather %x along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$along, StrArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `along` $along `over` $axes attr-dict `:` type($x) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_OwnPartOp : Graph_Op<"own_part"> {
  let summary = "This rank's part of a tensor that all ranks have";
  let description = [{
    The part with the rank's index among equal parts along a dimension. It is the
    inverse of `graph.all_gather`, and costs no communication.

    - (C1) the mesh has the axes, and each is named once.
    - (C2) dimension `along` of `x` is that of the result times the number of
      ranks; the others are equal.

    ```mlir
    %y = graph.own_part %x along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$along, StrArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x `along` $along `over` $axes attr-dict `:` type($x) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_ReduceScatterOp : Graph_Op<"reduce_scatter"> {
  let summary = "This rank's part of the sum of the tensors of all ranks";
  let description = [{
    It is `graph.all_reduce sum` and then `graph.own_part`, with half of the
    bytes. The order of additions depends on the mesh only.

    - (C1) the mesh has the axes, and each is named once.
    - (C2) dimension `along` of `x` is that of the result times the number of
      ranks; the others are equal.

    ```mlir
    %y = graph.reduce_scatter %x along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Graph_NumberTensor:$x, I64Attr:$along,
                   StrArrayAttr:$axes);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $x `along` $along `over` $axes attr-dict `:` type($x) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE

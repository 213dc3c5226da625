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

// One resource for all messages: what a role sends and receives has one order.
def Graph_MessageResource : Resource<"::weir::graph::MessageResource">;

class Graph_MessageOp<string mnemonic>
    : Op<Graph_Dialect, mnemonic,
         [MemoryEffects<[MemWrite<Graph_MessageResource>]>, FusionOpInterface]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringRef> tensorflowNames() { return {}; }
    static ::llvm::ArrayRef<::llvm::StringRef> onnxNames() { return {}; }
    ::weir::graph::FusionRole fusionRole() {
      return ::weir::graph::FusionRole::none;
    }
  }];
}

def Graph_SendOp : Graph_MessageOp<"send"> {
  let summary = "Sends a tensor to another role of the cluster";
  let description = [{
    Each task of the role `to` receives the tensor by the `graph.recv` with the
    same key. Tasks of one role have equal tensors, and the first of them sends.
    With `each` all of them send, each a tensor of its own.

    - (C1) the module is that of a role, and `to` is another role of the cluster.
    - (C2) with `each` the own role has several tasks.
    - (C3) `weir-check-transfers`: each key has one send and one recv, of one type.

    ```mlir
    graph.send %x to "worker-1" key 0 : tensor<4xf32>
    graph.send %g to "ps-0" key 1 each : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, StrAttr:$to, I64Attr:$key,
                   UnitAttr:$each);
  let assemblyFormat = [{
    $x `to` $to `key` $key (`each` $each^)? attr-dict `:` type($x)
  }];
}

def Graph_RecvOp : Graph_MessageOp<"recv"> {
  let summary = "Receives a tensor from another role of the cluster";
  let description = [{
    The tensor of the `graph.send` with the same key. With `each` the result has
    the tensors of all tasks of the role, in their order: dimension 0 counts the
    tasks.

    - (C1) the module is that of a role, and `from` is another role of the cluster.
    - (C2) with `each` the role `from` has several tasks, as many as dimension 0.
    - (C3) `weir-check-transfers`: each key has one send and one recv, of one type.

    ```mlir
    %x = graph.recv from "worker-0" key 0 : tensor<4xf32>
    %g = graph.recv from "worker" key 1 each : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$from, I64Attr:$key, UnitAttr:$each);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `from` $from `key` $key (`each` $each^)? attr-dict `:` type($result)
  }];
}

def Graph_AgreeOp : Graph_MessageOp<"agree"> {
  let summary = "Ends the run of all roles if a check of one has failed";
  let description = [{
    Stands before assignments of variables. All roles have one with the key.

    - (C1) the module is that of a role.

    ```mlir
    graph.agree key 2
    ```
  }];
  let arguments = (ins I64Attr:$key);
  let assemblyFormat = "`key` $key attr-dict";
}

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE

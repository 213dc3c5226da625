// Passes that divide a program among the ranks of a mesh.

#ifndef WEIR_PASSES_SHARD
#define WEIR_PASSES_SHARD

include "mlir/Pass/PassBase.td"

def DivideInputs : Pass<"weir-divide-inputs", "::mlir::ModuleOp"> {
  let summary = "Decides which inputs are divided among ranks";
  let description = [{
    With an axis `data` in the module's `weir.mesh`, each rank gets a part of the
    batch: dimension 0 of the first input of an entry that has dimensions. Other
    inputs of the entry with the same dimension 0 are divided alike. An input that
    already has `weir.shards` keeps it. A batch that the ranks cannot divide into
    equal parts is an error.

    ```mlir
    func.func @f(%x: tensor<64x10xf32>) attributes {weir.entry = "f"}
    // becomes, with data = 4
    func.func @f(%x: tensor<64x10xf32> {weir.shards = array<i64: 1, 0>}) attributes {weir.entry = "f"}
    ```
  }];
}

def SplitShapes : Pass<"weir-split-shapes", "::mlir::ModuleOp"> {
  let summary = "Makes a program of one rank of the program of all";
  let description = [{
    Starts from the `weir.shards` of inputs. Each op computes the parts of its
    results, by its sharding rule. Where an operand is divided in another way,
    the pass adds `graph.all_gather` or `graph.own_part`; a sum over a divided
    dimension ends in `graph.all_reduce`. An op is computed whole by each rank if
    it has no rule for the way in which its operands are divided, and gets
    `weir.whole`; a remark names its node.

    Variables are whole on each rank. A check of values tests the rank's own
    part.

    ```mlir
    func.func @f(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> {
      %y = graph.reduce_sum %x [0] : tensor<4x3xf32>
      return %y : tensor<3xf32>
    }
    // becomes, with data = 2
    func.func @f(%x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> {
      %part = graph.reduce_sum %x [0] : tensor<2x3xf32>
      %y = graph.all_reduce sum %part over ["data"] : tensor<3xf32>
      return %y : tensor<3xf32>
    }
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def ExpandGathers : Pass<"weir-expand-gathers", "::mlir::ModuleOp"> {
  let summary = "Makes parts contiguous";
  let description = [{
    An `all_gather` along an inner dimension becomes one along a new first
    dimension, a transpose and a reshape. An `own_part` along an inner dimension
    becomes a transpose of the parts to the front before it.

    ```mlir
    %y = graph.all_gather %x along 1 over ["m"] : tensor<2x3xf32> to tensor<2x6xf32>
    // becomes
    %0 = graph.reshape %x : tensor<2x3xf32> to tensor<1x2x3xf32>
    %1 = graph.all_gather %0 along 0 over ["m"] : tensor<1x2x3xf32> to tensor<2x2x3xf32>
    %2 = graph.transpose %1 [1, 0, 2] : tensor<2x2x3xf32>
    %y = graph.reshape %2 : tensor<2x2x3xf32> to tensor<2x6xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_SHARD

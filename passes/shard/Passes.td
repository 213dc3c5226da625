// Passes that divide a program among the ranks of a mesh.

#ifndef WEIR_PASSES_SHARD
#define WEIR_PASSES_SHARD

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

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

def DivideLayers : Pass<"weir-divide-layers", "::mlir::ModuleOp"> {
  let summary = "Divides the weights of attention and of products that follow each other";
  let description = [{
    With `weir.parallel_layers` the axis divides the columns of weights. These are
    weights of products whose results become heads of an attention: a reshape
    splits the last dimension, and a product of matrices uses it. So are those of
    products whose results, after elementwise ops, are the rows of another product
    with a weight. The bias and the rows of the next weight follow in
    `weir-split-shapes`. Weights that have `weir.shards` keep it.

    ```mlir
    module attributes {weir.parallel_layers = "model", weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
      func.func @f(%x: tensor<3x4xf32>) -> tensor<3x4xf32> attributes {weir.entry = "f"} {
        %up = graph.constant dense_resource<up> : tensor<4x8xf32>
        %down = graph.constant dense_resource<down> : tensor<8x4xf32>
        %0 = graph.matmul %x, %up : tensor<3x4xf32>, tensor<4x8xf32>
        %1 = graph.relu %0 : tensor<3x8xf32>
        %2 = graph.matmul %1, %down : tensor<3x8xf32>, tensor<8x4xf32>
        return %2 : tensor<3x4xf32>
      }
    }
    // %up becomes
    %up = graph.constant {weir.shards = array<i64: 0, 1>} dense_resource<up> : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def DivideVariables : Pass<"weir-divide-variables", "::mlir::ModuleOp"> {
  let summary = "Decides which variables are divided among ranks";
  let description = [{
    A variable with `weir.shards` is divided so. The pass divides more variables
    if all ops that read or assign parts of one agree on the way: the rows of the
    second matrix where `--shard` divides the columns of the first, and the
    state of an optimizer. It splits a copy of the program to find out, and
    keeps a decision only if ranks exchange no more bytes. The axis `data` does
    not divide variables by itself. With `weir.shard_state` the axis divides the
    state of the optimizer, but not what only a conditional updates.

    ```mlir
    graph.variable @w : tensor<4x8xf32> {weir.shards = array<i64: 0, 1>}
    graph.variable @momentum : tensor<4x8xf32>
    // becomes, if the update of @w reads @momentum
    graph.variable @momentum : tensor<4x8xf32> {weir.shards = array<i64: 0, 1>}
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def SplitShapes : Pass<"weir-split-shapes", "::mlir::ModuleOp"> {
  let summary = "Makes a program of one rank of the program of all";
  let description = [{
    Starts from the `weir.shards` of inputs, constants and variables. Each op
    computes the parts of its results, by its sharding rule. Where an operand is
    divided in another way, the pass adds `graph.all_gather` or
    `graph.own_part`; a sum over a divided dimension ends in `graph.all_reduce`.
    An op is computed whole by each rank if it has no rule for the way in which
    its operands are divided, and gets `weir.whole`; a remark names its node.

    The gradient of a max pooling adds to rows of zeros by their numbers. Each rank
    has the updates of its own rows, so it needs no sum of all ranks.

    A divided constant becomes `#weir.parts`. A divided variable has the type of
    a part. A check of values tests the rank's own part. A remark names each
    collective that no division of the batch needs; with `weir.reshard =
    "error"` it is an error.

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

def JoinMicroBatches : Pass<"weir-join-micro-batches", "::mlir::ModuleOp"> {
  let summary = "Joins the programs of the micro-batches that one rank computes";
  let description = [{
    With `weir.micro_batches` the axis `data` of the mesh counts micro-batches of the batch, and the
    program is that of one micro-batch. The pass makes the program of a rank with several:
    operations on parts of the batch are repeated for each micro-batch, and all others are
    computed once. A sum over micro-batches adds pairs of neighbours first, and then those of
    ranks. So the bits are the same for each number of ranks that is a power of two.

    ```mlir
    module attributes {weir.micro_batches = 2, weir.mesh = #weir.mesh<axes = ["data"], sizes = [4]>} {
      func.func @f(%x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> attributes {weir.entry = "f"} {
        %0 = graph.reduce_sum %x [0] : tensor<2x3xf32>
        %y = graph.all_reduce sum %0 over ["data"] : tensor<3xf32>
        return %y : tensor<3xf32>
      }
    }
    // becomes, with data = 2
    func.func @f(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> attributes {weir.entry = "f"} {
      %a = graph.slice %x [0, 0] to [2, 3] by [1, 1] : tensor<4x3xf32>
      %b = graph.slice %x [2, 0] to [4, 3] by [1, 1] : tensor<4x3xf32>
      %0 = graph.reduce_sum %a [0] : tensor<2x3xf32>
      %1 = graph.reduce_sum %b [0] : tensor<2x3xf32>
      %2 = graph.add %0, %1 : tensor<3xf32>
      %y = graph.all_reduce sum %2 over ["data"] : tensor<3xf32>
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
    dimension, a transpose and a reshape. An `own_part` or a `reduce_scatter`
    along an inner dimension becomes a transpose of the parts to the front before
    it.

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

def SinkReductions : Pass<"weir-sink-reductions", "::mlir::ModuleOp">, Optional {
  let summary = "Adds the tensors of ranks where they are smallest";
  let description = [{
    The gradient of a convolution's filter is computed as a Winograd convolution: a
    product over the batch, and then one by a constant, which makes 9 matrices of
    16. Ranks would add the 16. The pass moves a sum of floats behind reshapes and
    products by constants, if the result has fewer elements.

    With `weir.micro_batches` nothing moves: then the bits do not depend on the number of
    ranks.

    ```mlir
    %s = graph.all_reduce sum %x over ["data"] : tensor<16x6xf32>
    %p = graph.matmul %c, %s : tensor<9x16xf32>, tensor<16x6xf32>
    // becomes
    %s = graph.matmul %c, %x : tensor<9x16xf32>, tensor<16x6xf32>
    %p = graph.all_reduce sum %s over ["data"] : tensor<9x6xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def FormBuckets : Pass<"weir-form-buckets", "::mlir::ModuleOp">, Optional {
  let summary = "Joins gradients that ranks add into buckets";
  let description = [{
    A message costs some microseconds, whatever its size. So the pass joins small
    all-reduces that no other collective depends on: gradients and results. A
    bucket is a `graph.concat` of the tensors, one `graph.all_reduce`, and slices.
    It has all-reduces in their order in the program, which is the order of the
    backward pass, until it has `weir.bucket_bytes` of the module, by default
    4 MiB. A tensor of that size stays alone.

    Operations that need a sum and come before the bucket's last member move
    behind the bucket. No member joins from behind an assignment or a check that
    needs a sum of the bucket.

    Each element is added in the same order of ranks as without the pass.

    ```mlir
    %a = graph.all_reduce sum %x over ["data"] : tensor<2x3xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    // becomes
    %0 = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    %1 = graph.concat %0, %y axis 0 : tensor<6xf32>, tensor<4xf32>
    %2 = graph.all_reduce sum %1 over ["data"] : tensor<10xf32>
    %3 = graph.slice %2 [0] to [6] by [1] : tensor<10xf32>
    %a = graph.reshape %3 : tensor<6xf32> to tensor<2x3xf32>
    %b = graph.slice %2 [6] to [10] by [1] : tensor<10xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

def SplitRoles : Pass<"weir-split-roles", "::mlir::ModuleOp"> {
  let summary = "Makes a program for each role of a cluster";
  let description = [{
    Each role of `weir.cluster` gets a module in the module, with all entries. An op
    goes to the role that its node's device names in `weir.devices`. Without a
    device it goes to the role of all its users, of its first operand, or to
    `/job:worker/task:0`. Variables are read and assigned in their own roles.
    Constants are copied.

    Where a role uses a value of another, one pair of `graph.send` and `graph.recv`
    transfers it, at the point where it is computed. All roles keep the order of the
    entry, so that no two wait for each other.

    The tasks of a job that nodes name without a task are replicas. They share one
    program, on a part of the batch each. A `graph.all_reduce` becomes messages of all
    replicas to one task that uses the result. It adds them in the order of the
    replicas. What all replicas would compute alike, and only one other role uses,
    moves there: the update of a variable to its parameter server.

    ```mlir
    module attributes {
        weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [2]>,
        weir.devices = {a = "/job:worker/task:0", b = "/job:worker/task:1"}} {
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
        %a = graph.exp %x : tensor<4xf32> loc("a")
        %b = graph.mul %a, %a : tensor<4xf32> loc("b")
        return %b : tensor<4xf32>
      }
    }
    // becomes
    module @"worker-0" {
      func.func @f(%x: tensor<4xf32>) attributes {weir.entry = "f"} {
        %a = graph.exp %x : tensor<4xf32>
        graph.send %a to "worker-1" key 0 : tensor<4xf32>
        return
      }
    }
    module @"worker-1" {
      func.func @f() -> tensor<4xf32> attributes {weir.entry = "f"} {
        %a = graph.recv from "worker-0" key 0 : tensor<4xf32>
        %b = graph.mul %a, %a : tensor<4xf32>
        return %b : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_SHARD

// RUN: weir-opt %s --split-input-file --weir-divide-variables --verify-diagnostics | FileCheck %s

// The state of an optimizer is divided like its variable; so are the rows of
// the second matrix. A variable that all ops read whole stays whole.
// CHECK-LABEL: module @propagates
// CHECK: graph.variable @w1 : tensor<4x8xf32> {weir.shards = array<i64: 0, 1>}
// CHECK-NEXT: graph.variable @m : tensor<4x8xf32> {weir.shards = array<i64: 0, 1>}
// CHECK-NEXT: graph.variable @w2 : tensor<8x4xf32> {weir.shards = array<i64: 1, 0>}
// CHECK-NEXT: graph.variable @b : tensor<4xf32>{{$}}
module @propagates attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  graph.variable @w1 : tensor<4x8xf32> {weir.shards = array<i64: 0, 1>}
  graph.variable @m : tensor<4x8xf32>
  graph.variable @w2 : tensor<8x4xf32>
  graph.variable @b : tensor<4xf32>
  func.func @f(%x: tensor<3x4xf32>) -> tensor<3x4xf32> attributes {weir.entry = "f"} {
    %w1 = graph.read_variable @w1 : tensor<4x8xf32>
    %m = graph.read_variable @m : tensor<4x8xf32>
    %w2 = graph.read_variable @w2 : tensor<8x4xf32>
    %b = graph.read_variable @b : tensor<4xf32>
    %sum = graph.add %w1, %m : tensor<4x8xf32>
    graph.write_variable @m, %sum : tensor<4x8xf32>
    %0 = graph.matmul %x, %w1 : tensor<3x4xf32>, tensor<4x8xf32>
    %1 = graph.matmul %0, %w2 : tensor<3x8xf32>, tensor<8x4xf32>
    %2 = graph.broadcast %b [1] : tensor<4xf32> to tensor<3x4xf32>
    %3 = graph.add %1, %2 : tensor<3x4xf32>
    return %3 : tensor<3x4xf32>
  }
}

// -----

// The axis `data` divides the batch, and no variable.
// CHECK-LABEL: module @batch
// CHECK: graph.variable @v : tensor<4x3xf32>{{$}}
module @batch attributes {weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 2]>} {
  graph.variable @v : tensor<4x3xf32>
  func.func @f(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<4x3xf32> attributes {weir.entry = "f"} {
    %v = graph.read_variable @v : tensor<4x3xf32>
    %0 = graph.add %x, %v : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}

// -----

// Two ops that want different parts: the variable is whole.
// CHECK-LABEL: module @disagree
// CHECK: graph.variable @v : tensor<4x4xf32>{{$}}
module @disagree attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  graph.variable @v : tensor<4x4xf32>
  func.func @f(%x: tensor<4x4xf32> {weir.shards = array<i64: 1, 0>}, %y: tensor<4x4xf32> {weir.shards = array<i64: 0, 1>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {weir.entry = "f"} {
    %v = graph.read_variable @v : tensor<4x4xf32>
    %0 = graph.add %x, %v : tensor<4x4xf32>
    %1 = graph.add %y, %v : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  graph.variable @v : tensor<4xf32> {weir.shards = array<i64: 1>}
  func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
    %r = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
      // expected-error@below {{uses the variable 'v' in a loop or a conditional, which each rank computes whole; --shard cannot divide the variable}}
      %v = graph.read_variable @v : tensor<4xf32>
      graph.yield %v : tensor<4xf32>
    } else {
      graph.yield %x : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// RUN: weir-opt %s --split-input-file --weir-join-rows | FileCheck %s

// A log softmax, the loss of each row and the gradient become one group. The group of the
// mean, which needs the loss, moves behind.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: %[[R:.*]]:2 = graph.group(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>):
// CHECK-NEXT: %[[L:.*]] = graph.log_softmax %[[X]]
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[L]]
// CHECK-NEXT: %[[G:.*]] = graph.sub %[[E]], %[[Y]]
// CHECK-NEXT: %[[M:.*]] = graph.mul %[[Y]], %[[L]]
// CHECK-NEXT: %[[S:.*]] = graph.reduce_sum %[[M]] [1]
// CHECK-NEXT: graph.yield %[[S]], %[[G]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[T:.*]] = graph.group(%[[R]]#0)
// CHECK: return %[[T]], %[[R]]#1
func.func @cross_entropy(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %l = graph.group(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.log_softmax %a : tensor<4x8xf32>
    graph.yield %0 : tensor<4x8xf32>
  }
  %s = graph.group(%y, %l) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %0 = graph.mul %a, %b : tensor<4x8xf32>
    %1 = graph.reduce_sum %0 [1] : tensor<4x8xf32>
    graph.yield %1 : tensor<4xf32>
  }
  %t = graph.group(%s) : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = graph.reduce_sum %a [0] : tensor<4xf32>
    graph.yield %0 : tensor<f32>
  }
  %g = graph.group(%y, %l) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %0 = graph.exp %b : tensor<4x8xf32>
    %1 = graph.sub %0, %a : tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %t, %g : tensor<f32>, tensor<4x8xf32>
}

// -----

// The value of each row that another group broadcasts is computed in the same group.
// CHECK-LABEL: func.func @row_values
// CHECK: graph.group(%arg1, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK: graph.reduce_sum
// CHECK: graph.broadcast %{{.*}} [0]
// CHECK: graph.yield
// CHECK-NOT: graph.group
// CHECK: return
func.func @row_values(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %l = graph.group(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.log_softmax %a : tensor<4x8xf32>
    graph.yield %0 : tensor<4x8xf32>
  }
  %s = graph.group(%y) : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.reduce_sum %a [1] : tensor<4x8xf32>
    graph.yield %0 : tensor<4xf32>
  }
  %g = graph.group(%s, %l) : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4x8xf32>):
    %0 = graph.broadcast %a [0] : tensor<4xf32> to tensor<4x8xf32>
    %1 = graph.exp %b : tensor<4x8xf32>
    %2 = graph.mul %1, %0 : tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  return %g : tensor<4x8xf32>
}

// -----

// A sum of columns needs all rows. So does a broadcast of a value of each row along rows.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-3: graph.group(
func.func @columns(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %l = graph.group(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = graph.log_softmax %a : tensor<4x4xf32>
    graph.yield %0 : tensor<4x4xf32>
  }
  %s = graph.group(%l) : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = graph.reduce_sum %a [0] : tensor<4x4xf32>
    graph.yield %0 : tensor<4xf32>
  }
  %g = graph.group(%s, %l) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4x4xf32>):
    %0 = graph.broadcast %a [1] : tensor<4xf32> to tensor<4x4xf32>
    %1 = graph.mul %b, %0 : tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %s, %g : tensor<4xf32>, tensor<4x4xf32>
}

// -----

// An op that is no group keeps its place, and so does the group that it needs.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-3: graph.group(
graph.variable @v : tensor<4xf32>
func.func @between(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %l = graph.group(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.log_softmax %a : tensor<4x8xf32>
    %1 = graph.neg %0 : tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  %s = graph.group(%l) : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.reduce_sum %a [1] : tensor<4x8xf32>
    %1 = graph.iota axis 0 : tensor<4xf32>
    %2 = graph.add %0, %1 : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  graph.write_variable @v, %s : tensor<4xf32>
  %g = graph.group(%l) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %0 = graph.exp %a : tensor<4x8xf32>
    graph.yield %0 : tensor<4x8xf32>
  }
  return %g : tensor<4x8xf32>
}

// -----

// One row is no loop over rows, and a row of a million elements does not fit a cache.
// CHECK-LABEL: func.func @one_row
// CHECK-COUNT-2: graph.group(
// CHECK-LABEL: func.func @long_rows
// CHECK-COUNT-2: graph.group(
func.func @one_row(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %l = graph.group(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
  ^bb0(%a: tensor<1x8xf32>):
    %0 = graph.log_softmax %a : tensor<1x8xf32>
    graph.yield %0 : tensor<1x8xf32>
  }
  %g = graph.group(%l) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
  ^bb0(%a: tensor<1x8xf32>):
    %0 = graph.exp %a : tensor<1x8xf32>
    graph.yield %0 : tensor<1x8xf32>
  }
  return %g : tensor<1x8xf32>
}
func.func @long_rows(%x: tensor<2x1000000xf32>) -> tensor<2x1000000xf32> {
  %l = graph.group(%x) : (tensor<2x1000000xf32>) -> tensor<2x1000000xf32> {
  ^bb0(%a: tensor<2x1000000xf32>):
    %0 = graph.log_softmax %a : tensor<2x1000000xf32>
    graph.yield %0 : tensor<2x1000000xf32>
  }
  %g = graph.group(%l) : (tensor<2x1000000xf32>) -> tensor<2x1000000xf32> {
  ^bb0(%a: tensor<2x1000000xf32>):
    %0 = graph.exp %a : tensor<2x1000000xf32>
    graph.yield %0 : tensor<2x1000000xf32>
  }
  return %g : tensor<2x1000000xf32>
}

// -----

// Kernels of a GPU keep a row in registers, so they stay apart.
// CHECK-LABEL: func.func @on_gpu
// CHECK-COUNT-2: graph.group(
module attributes {weir.gpu = #weir.gpu<archs = ["sm_80"]>} {
  func.func @on_gpu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %l = graph.group(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>):
      %0 = graph.log_softmax %a : tensor<4x8xf32>
      graph.yield %0 : tensor<4x8xf32>
    }
    %g = graph.group(%l) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>):
      %0 = graph.exp %a : tensor<4x8xf32>
      graph.yield %0 : tensor<4x8xf32>
    }
    return %g : tensor<4x8xf32>
  }
}

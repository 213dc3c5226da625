// RUN: weir-opt %s --split-input-file --weir-flatten-groups | FileCheck %s

// Without broadcasts all dimensions become one.
// CHECK-LABEL: func.func @all
// CHECK: graph.reshape %{{.*}} : tensor<2x3xf32> to tensor<6xf32>
// CHECK: graph.group(%{{.*}}) : (tensor<6xf32>) -> tensor<6xf32>
// CHECK: graph.exp %{{.*}} : tensor<6xf32>
// CHECK: graph.reshape %{{.*}} : tensor<6xf32> to tensor<2x3xf32>
func.func @all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.group(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %b = graph.exp %a : tensor<2x3xf32>
    graph.yield %b : tensor<2x3xf32>
  }
  return %y : tensor<2x3xf32>
}

// -----

// A bias keeps its dimension; the others merge.
// CHECK-LABEL: func.func @bias
// CHECK: graph.group(%{{.*}}, %{{.*}}) : (tensor<6x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
// CHECK: graph.broadcast %{{.*}} [1] : tensor<4xf32> to tensor<6x4xf32>
func.func @bias(%x: tensor<2x3x4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %y = graph.group(%x, %b) : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32> {
  ^bb0(%p: tensor<2x3x4xf32>, %q: tensor<4xf32>):
    %w = graph.broadcast %q [2] : tensor<4xf32> to tensor<2x3x4xf32>
    %s = graph.add %p, %w : tensor<2x3x4xf32>
    graph.yield %s : tensor<2x3x4xf32>
  }
  return %y : tensor<2x3x4xf32>
}

// -----

// A stretched dimension leaves the operand.
// CHECK-LABEL: func.func @stretched
// CHECK: graph.reshape %{{.*}} : tensor<2x1x4x5xf32> to tensor<2x20xf32>
// CHECK: graph.broadcast %{{.*}} [0, 2] : tensor<2x20xf32> to tensor<2x3x20xf32>
// CHECK-NOT: tensor<6
// CHECK: return
func.func @stretched(%x: tensor<2x3x4x5xf32>, %b: tensor<2x1x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = graph.group(%x, %b) : (tensor<2x3x4x5xf32>, tensor<2x1x4x5xf32>) -> tensor<2x3x4x5xf32> {
  ^bb0(%p: tensor<2x3x4x5xf32>, %q: tensor<2x1x4x5xf32>):
    %w = graph.broadcast %q [0, 1, 2, 3] : tensor<2x1x4x5xf32> to tensor<2x3x4x5xf32>
    %s = graph.add %p, %w : tensor<2x3x4x5xf32>
    graph.yield %s : tensor<2x3x4x5xf32>
  }
  return %y : tensor<2x3x4x5xf32>
}

// -----

// The group of a reduction keeps its dimensions.
// CHECK-LABEL: func.func @reduction
// CHECK-NOT: graph.reshape
// CHECK: graph.reduce_sum
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @reduction(%x: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
  %y = graph.group(%x) : (tensor<2x3x4xf32>) -> tensor<2x3xf32> {
  ^bb0(%p: tensor<2x3x4xf32>):
    %s = graph.reduce_sum %p [2] : tensor<2x3x4xf32>
    graph.yield %s : tensor<2x3xf32>
  }
  return %y : tensor<2x3xf32>
}

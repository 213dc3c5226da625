// RUN: weir-opt %s --weir-end-products | FileCheck %s

// Both operands are zero beyond the length, so the product ends there, and the selects
// disappear.
// CHECK-LABEL: func.func @attended
// CHECK-NOT: graph.select
// CHECK: %[[V:.*]] = graph.reshape %arg1 : tensor<1x8x4xf32> to tensor<8x4xf32>
// CHECK: graph.matmul %arg0, %[[V]] depth %arg2 : tensor<2x8xf32>, tensor<8x4xf32>
func.func @attended(%p: tensor<2x8xf32>, %v: tensor<1x8x4xf32>, %n: tensor<i64>) -> tensor<2x4xf32> {
  %zeros = graph.constant dense<0.0> : tensor<2x8xf32>
  %nothing = graph.constant dense<0.0> : tensor<1x8x4xf32>
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  graph.symbol 0 is %n : tensor<i64>
  %c = graph.cast %n : tensor<i64> to tensor<i32>
  %e = graph.broadcast %c [] : tensor<i32> to tensor<8xi32>
  %l = graph.less %i, %e : tensor<8xi32>
  %m = graph.broadcast %l [1] : tensor<8xi1> to tensor<2x8xi1>
  %a = graph.select %m, %p, %zeros : tensor<2x8xi1>, tensor<2x8xf32>
  %w = graph.broadcast %l [1] : tensor<8xi1> to tensor<1x8x4xi1>
  %s = graph.select %w, %v, %nothing : tensor<1x8x4xi1>, tensor<1x8x4xf32>
  %b = graph.reshape %s : tensor<1x8x4xf32> to tensor<8x4xf32>
  %y = graph.matmul %a, %b : tensor<2x8xf32>, tensor<8x4xf32>
  return %y : tensor<2x4xf32>
}

// The other operand may be NaN beyond the length.
// CHECK-LABEL: func.func @one
// CHECK: graph.select
// CHECK-COUNT-1: graph.reshape
// CHECK-NOT: graph.reshape
// CHECK: graph.matmul %{{.*}}, %arg1 : tensor<2x8xf32>
func.func @one(%p: tensor<1x2x8xf32>, %v: tensor<8x4xf32>, %n: tensor<i64>) -> tensor<2x4xf32> {
  %zeros = graph.constant dense<0.0> : tensor<1x2x8xf32>
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>
  graph.symbol 0 is %n : tensor<i64>
  %e = graph.broadcast %n [] : tensor<i64> to tensor<8xi64>
  %l = graph.less %i, %e : tensor<8xi64>
  %m = graph.broadcast %l [2] : tensor<8xi1> to tensor<1x2x8xi1>
  %s = graph.select %m, %p, %zeros : tensor<1x2x8xi1>, tensor<1x2x8xf32>
  %a = graph.reshape %s : tensor<1x2x8xf32> to tensor<2x8xf32>
  %y = graph.matmul %a, %v : tensor<2x8xf32>, tensor<8x4xf32>
  return %y : tensor<2x4xf32>
}

// The mask is along the rows and not along the depth.
// CHECK-LABEL: func.func @rows
// CHECK: graph.select
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<8x8xf32>
func.func @rows(%p: tensor<8x8xf32>, %n: tensor<i64>) -> tensor<8x8xf32> {
  %zeros = graph.constant dense<0.0> : tensor<8x8xf32>
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>
  graph.symbol 0 is %n : tensor<i64>
  %e = graph.broadcast %n [] : tensor<i64> to tensor<8xi64>
  %l = graph.less %i, %e : tensor<8xi64>
  %m = graph.broadcast %l [0] : tensor<8xi1> to tensor<8x8xi1>
  %a = graph.select %m, %p, %zeros : tensor<8x8xi1>, tensor<8x8xf32>
  %y = graph.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

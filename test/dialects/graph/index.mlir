// Ops of family Index are parsed, printed and parsed again.
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %j: tensor<2x4xi64>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK: graph.gather %{{.*}}, %{{.*}} axis 1 batch_dims 0 : tensor<2x3xf32>, tensor<4xi32>
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x3xf32>, tensor<4xi32>
  // CHECK: graph.gather %{{.*}}, %{{.*}} axis 1 batch_dims 1 : tensor<2x3xf32>, tensor<2x4xi64>
  %z = graph.gather %x, %j axis 1 batch_dims 1 : tensor<2x3xf32>, tensor<2x4xi64>
  return %y, %z : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @gather_nd
func.func @gather_nd(%x: tensor<2x3xf32>, %i: tensor<4x2xi32>, %j: tensor<2x1xi32>) -> (tensor<4xf32>, tensor<2xf32>) {
  // CHECK: graph.gather_nd %{{.*}}, %{{.*}} batch_dims 0 : tensor<2x3xf32>, tensor<4x2xi32>
  %y = graph.gather_nd %x, %i batch_dims 0 : tensor<2x3xf32>, tensor<4x2xi32>
  // CHECK: graph.gather_nd %{{.*}}, %{{.*}} batch_dims 1 : tensor<2x3xf32>, tensor<2x1xi32>
  %z = graph.gather_nd %x, %j batch_dims 1 : tensor<2x3xf32>, tensor<2x1xi32>
  return %y, %z : tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // CHECK: graph.scatter add %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>
  %y = graph.scatter add %x, %i, %u : tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @dynamic_slice
func.func @dynamic_slice(%x: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<1x2xf32> {
  // CHECK: graph.dynamic_slice %{{.*}}[%{{.*}}, %{{.*}}] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %y = graph.dynamic_slice %x [%i, %j] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// CHECK-LABEL: @dynamic_update_slice
func.func @dynamic_update_slice(%x: tensor<2x3xf32>, %u: tensor<1x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  // CHECK: graph.dynamic_update_slice %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %y = graph.dynamic_update_slice %x, %u [%i, %j] : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @one_hot
func.func @one_hot(%i: tensor<2xi64>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK: graph.one_hot %{{.*}}, %{{.*}}, %{{.*}} depth 3 axis 1 : tensor<2xi64>, tensor<f32>
  %y = graph.one_hot %i, %on, %off depth 3 axis 1 : tensor<2xi64>, tensor<f32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @sort
func.func @sort(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xf32>) {
  // CHECK: graph.sort %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xi32>
  %s:2 = graph.sort %x, %i : tensor<2x3xf32>, tensor<2x3xi32>
  // CHECK: graph.sort %{{.*}} descending : tensor<2x3xf32>
  %d = graph.sort %x descending : tensor<2x3xf32>
  return %s#1, %d : tensor<2x3xi32>, tensor<2x3xf32>
}

// CHECK-LABEL: @top_k
func.func @top_k(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  // CHECK: graph.top_k %{{.*}} k 2 : tensor<2x3xf32>
  %v, %i = graph.top_k %x k 2 : tensor<2x3xf32>
  return %v, %i : tensor<2x2xf32>, tensor<2x2xi32>
}

// CHECK-LABEL: @search_sorted
func.func @search_sorted(%s: tensor<2x8xf32>, %x: tensor<2x3xf32>) -> tensor<2x3xi32> {
  // CHECK: graph.search_sorted %{{.*}}, %{{.*}} right : tensor<2x8xf32>, tensor<2x3xf32>
  %i = graph.search_sorted %s, %x right : tensor<2x8xf32>, tensor<2x3xf32>
  return %i : tensor<2x3xi32>
}

// CHECK-LABEL: @compact
func.func @compact(%x: tensor<2x3xf32>, %n: tensor<i64>) -> tensor<6xf32> {
  // CHECK: graph.compact %{{.*}}[%{{.*}}] along [1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  %y = graph.compact %x [%n] along [1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @spread
func.func @spread(%x: tensor<6xf32>, %n: tensor<i64>) -> tensor<2x3xf32> {
  // CHECK: graph.spread %{{.*}}[%{{.*}}] along [1] to [2, 3] : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  %y = graph.spread %x [%n] along [1] to [2, 3] : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @spread_zeros
func.func @spread_zeros(%x: tensor<6xf32>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<2x3xf32> {
  // CHECK: graph.spread %{{.*}}[%{{.*}}, %{{.*}}] along [0, 1] to [2, 3] zeros
  %y = graph.spread %x [%n, %m] along [0, 1] to [2, 3] zeros : (tensor<6xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @fill_beyond
func.func @fill_beyond(%x: tensor<2x8xf32>, %n: tensor<i64>, %v: tensor<f32>) -> tensor<2x8xf32> {
  // CHECK: graph.fill_beyond %{{.*}}, %{{.*}}, %{{.*}} along 1 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<f32>) -> tensor<2x8xf32>
  %y = graph.fill_beyond %x, %n, %v along 1 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<f32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// Some ops also transpose.
// CHECK-LABEL: @permuted
func.func @permuted(%x: tensor<6xf32>, %n: tensor<i64>) -> tensor<6xf32> {
  // CHECK: graph.spread %{{.*}}[%{{.*}}] along [1] to [2, 3] permuted [1, 0] : (tensor<6xf32>, tensor<i64>) -> tensor<3x2xf32>
  %y = graph.spread %x [%n] along [1] to [2, 3] permuted [1, 0] : (tensor<6xf32>, tensor<i64>) -> tensor<3x2xf32>
  // CHECK: graph.compact %{{.*}}[%{{.*}}] along [1] permuted [1, 0] : (tensor<3x2xf32>, tensor<i64>) -> tensor<6xf32>
  %z = graph.compact %y [%n] along [1] permuted [1, 0] : (tensor<3x2xf32>, tensor<i64>) -> tensor<6xf32>
  return %z : tensor<6xf32>
}

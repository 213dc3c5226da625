// Ops of family Index fold and simplify.
// RUN: weir-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @gathers
func.func @gathers() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<3xi32>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // Indices outside of the tensor are moved to the nearest end.
  %i = graph.constant dense<[7, 0]> : tensor<2xi32>
  %j = graph.constant dense<[[0, 1], [2, -3]]> : tensor<2x2xi64>
  %k = graph.constant dense<[[0, 1], [1, 2], [9, 0]]> : tensor<3x2xi32>
  // CHECK-DAG: dense<{{\[\[}}3, 1], [6, 4]]> : tensor<2x2xi32>
  %0 = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x3xi32>, tensor<2xi32>
  // CHECK-DAG: dense<{{\[\[}}1, 2], [6, 4]]> : tensor<2x2xi32>
  %1 = graph.gather %x, %j axis 1 batch_dims 1 : tensor<2x3xi32>, tensor<2x2xi64>
  // CHECK-DAG: dense<[2, 6, 4]> : tensor<3xi32>
  %2 = graph.gather_nd %x, %k batch_dims 0 : tensor<2x3xi32>, tensor<3x2xi32>
  // CHECK-NOT: graph.gather
  return %0, %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<3xi32>
}

// -----

// The last update of an element counts; updates outside of the tensor are dropped.
// CHECK-LABEL: @scatters
func.func @scatters(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %x = graph.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = graph.constant dense<[[1], [3], [1], [4]]> : tensor<4x1xi32>
  %u = graph.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  // CHECK: %[[C:.*]] = graph.constant dense<[1, 30, 3, 20]> : tensor<4xi32>
  %0 = graph.scatter update %x, %i, %u : tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>
  %e = graph.constant dense<> : tensor<0x1xi32>
  %f = graph.constant dense<> : tensor<0xi32>
  %1 = graph.scatter add %a, %e, %f : tensor<4xi32>, tensor<0x1xi32>, tensor<0xi32>
  // CHECK-NEXT: return %[[C]], %arg0
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: @one_hot
func.func @one_hot() -> tensor<3x2xi32> {
  %i = graph.constant dense<[2, -1]> : tensor<2xi32>
  %on = graph.constant dense<5> : tensor<i32>
  %off = graph.constant dense<0> : tensor<i32>
  // CHECK: dense<{{\[\[}}0, 0], [0, 0], [5, 0]]> : tensor<3x2xi32>
  %y = graph.one_hot %i, %on, %off depth 3 axis 0 : tensor<2xi32>, tensor<i32>
  return %y : tensor<3x2xi32>
}

// -----

// CHECK-LABEL: @constant_indices
func.func @constant_indices(%x: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
  %i = graph.constant dense<2> : tensor<i32>
  %j = graph.constant dense<100> : tensor<i32>
  // CHECK-DAG: graph.slice %{{.*}} [2, 0] to [3, 3] by [1, 1]
  %0 = graph.gather %x, %i axis 0 batch_dims 0 : tensor<4x3xf32>, tensor<i32>
  // The box is moved into the tensor.
  // CHECK-DAG: graph.slice %{{.*}} [2, 0] to [4, 3] by [1, 1]
  %1 = graph.dynamic_slice %x [%j, %j] sizes [2, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @whole
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>
func.func @whole(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.dynamic_slice %x [%i, %i] sizes [2, 3] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = graph.dynamic_update_slice %x, %y [%i, %i] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]]
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// A few runs of constant indices become slices: forward, backward, or one element
// repeatedly. An index outside is moved to the nearest one inside.
// CHECK-LABEL: @runs
// CHECK-SAME: (%[[X:.*]]: tensor<2x9xf32>)
// CHECK-DAG: %[[L:.*]] = graph.slice %[[X]] [0, 1] to [2, 4] by [1, 1]
// CHECK-DAG: %[[LOW:.*]] = graph.reverse %[[L]] [1]
// CHECK-DAG: %[[H:.*]] = graph.slice %[[X]] [0, 8] to [2, 9] by [1, 1]
// CHECK-DAG: %[[HIGH:.*]] = graph.broadcast %[[H]] [0, 1] : tensor<2x1xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[Y:.*]] = graph.concat %[[LOW]], %[[X]], %[[HIGH]] axis 1
// CHECK-DAG: %[[Z:.*]] = graph.slice %[[X]] [0, 1] to [2, 8] by [1, 2]
// CHECK: return %[[Y]], %[[Z]]
func.func @runs(%x: tensor<2x9xf32>) -> (tensor<2x14xf32>, tensor<2x4xf32>) {
  %i = graph.constant dense<[3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 99]> : tensor<14xi64>
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x9xf32>, tensor<14xi64>
  %j = graph.constant dense<[1, 3, 5, 7]> : tensor<4xi32>
  %z = graph.gather %x, %j axis 1 batch_dims 0 : tensor<2x9xf32>, tensor<4xi32>
  return %y, %z : tensor<2x14xf32>, tensor<2x4xf32>
}

// -----

// Other gathers stay, such as those with indices per batch, or with more indices than
// folders read.
// CHECK-LABEL: @scattered
// CHECK-COUNT-3: graph.gather
func.func @scattered(%x: tensor<2x9xf32>) -> (tensor<2x6xf32>, tensor<2x2xf32>, tensor<2x5000xf32>) {
  %i = graph.constant dense<[3, 1, 4, 1, 5, 8]> : tensor<6xi64>
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x9xf32>, tensor<6xi64>
  %j = graph.constant dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>
  %z = graph.gather %x, %j axis 1 batch_dims 1 : tensor<2x9xf32>, tensor<2x2xi32>
  %k = graph.constant dense<1> : tensor<5000xi32>
  %w = graph.gather %x, %k axis 1 batch_dims 0 : tensor<2x9xf32>, tensor<5000xi32>
  return %y, %z, %w : tensor<2x6xf32>, tensor<2x2xf32>, tensor<2x5000xf32>
}

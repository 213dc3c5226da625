// RUN: weir-opt %s -split-input-file --weir-form-repeats | FileCheck %s

// Each element occurs twice in a row.
// CHECK-LABEL: @once
// CHECK-NEXT: %[[B:.*]] = graph.broadcast %arg0 [0, 1, 3] : tensor<1x2x3xf32> to tensor<1x2x2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[B]] : tensor<1x2x2x3xf32> to tensor<1x4x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @once(%x: tensor<1x2x3xf32>) -> tensor<1x4x3xf32> {
  %i = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<1x2x3xf32>, tensor<4xi64>
  return %y : tensor<1x4x3xf32>
}

// -----

// Several dimensions are repeated at once.
// CHECK-LABEL: @twice
// CHECK-NEXT: %[[B:.*]] = graph.broadcast %arg0 [0, 1, 3] : tensor<4x2x3xf32> to tensor<4x2x2x3x3xf32>
// CHECK-NEXT: graph.reshape %[[B]] : tensor<4x2x2x3x3xf32> to tensor<4x4x9xf32>
// CHECK-NEXT: return
func.func @twice(%x: tensor<4x2x3xf32>) -> tensor<4x4x9xf32> {
  %i = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
  %j = graph.constant dense<[0, 0, 0, 1, 1, 1, 2, 2, 2]> : tensor<9xi32>
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<4x2x3xf32>, tensor<4xi32>
  %z = graph.gather %y, %j axis 2 batch_dims 0 : tensor<4x4x3xf32>, tensor<9xi32>
  return %z : tensor<4x4x9xf32>
}

// -----

// The result of the repetition has another user, so both use it.
// CHECK-LABEL: @read
// CHECK-COUNT-2: graph.broadcast
// CHECK-NOT: graph.gather
func.func @read(%x: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>) {
  %i = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %y = graph.gather %x, %i axis 0 batch_dims 0 : tensor<2x2xf32>, tensor<4xi64>
  %z = graph.gather %y, %i axis 1 batch_dims 0 : tensor<4x2xf32>, tensor<4xi64>
  return %y, %z : tensor<4x2xf32>, tensor<4x4xf32>
}

// -----

// A gather stays if elements alternate, are left out or are not constant.
// CHECK-LABEL: @other_orders
// CHECK-COUNT-4: graph.gather
// CHECK-NOT: graph.broadcast
func.func @other_orders(%x: tensor<2x3xf32>, %j: tensor<4xi64>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x2x3xf32>) {
  %turns = graph.constant dense<[0, 1, 0, 1]> : tensor<4xi64>
  %a = graph.gather %x, %turns axis 0 batch_dims 0 : tensor<2x3xf32>, tensor<4xi64>
  %uneven = graph.constant dense<[0, 1, 1, 1]> : tensor<4xi64>
  %b = graph.gather %x, %uneven axis 0 batch_dims 0 : tensor<2x3xf32>, tensor<4xi64>
  %c = graph.gather %x, %j axis 0 batch_dims 0 : tensor<2x3xf32>, tensor<4xi64>
  %table = graph.constant dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>
  %d = graph.gather %x, %table axis 0 batch_dims 0 : tensor<2x3xf32>, tensor<2x2xi64>
  return %a, %b, %c, %d : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x2x3xf32>
}

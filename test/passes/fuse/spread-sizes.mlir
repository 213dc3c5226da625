// RUN: weir-opt %s --weir-spread-sizes | FileCheck %s

// The mask is not necessary beyond the sizes of its user.
// CHECK-LABEL: func.func @mask
// CHECK: graph.broadcast %{{.*}} [1] {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]}
func.func @mask(%m: tensor<4xi1>, %x: tensor<8x4xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = graph.broadcast %m [1] : tensor<4xi1> to tensor<8x4xi1>
  %y = graph.select %b, %x, %z {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xi1>, tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Another user may need the whole mask.
// CHECK-LABEL: func.func @needed
// CHECK: graph.broadcast %{{.*}} [1] : tensor<4xf32>
func.func @needed(%m: tensor<4xf32>, %x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %b = graph.broadcast %m [1] : tensor<4xf32> to tensor<8x4xf32>
  %y = graph.add %b, %x {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xf32>
  return %y, %b : tensor<8x4xf32>, tensor<8x4xf32>
}

// Operands of a transpose and of graph.compact end at the sizes of their results.
// CHECK-LABEL: func.func @windows
// CHECK: graph.convolution {{.*}} {weir.sizes = [array<i64: 1, -1>, array<i64: 8, 3>, array<i64: 4, -1>]}
// CHECK: graph.transpose %{{.*}} [0, 2, 1] {weir.sizes = [array<i64: 1, -1>, array<i64: 4, -1>, array<i64: 8, 3>]}
// CHECK: graph.relu %{{.*}} {weir.sizes = [array<i64: 8, 3>, array<i64: 4, -1>]}
// CHECK: graph.compact %{{.*}} along [1] permuted [1, 0]
func.func @windows(%x: tensor<1x8x4xf32>, %w: tensor<1x4x4xf32>, %z: tensor<8x4xf32>, %n: tensor<i64>) -> (tensor<32xf32>, tensor<32xf32>) {
  graph.symbol 3 is %n : tensor<i64>
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x8x4xf32>, tensor<1x4x4xf32>
  %t = graph.transpose %y [0, 2, 1] : tensor<1x8x4xf32>
  %c = graph.compact %t [%n] along [2] : (tensor<1x4x8xf32>, tensor<i64>) -> tensor<32xf32>
  %r = graph.relu %z : tensor<8x4xf32>
  %d = graph.compact %r [%n] along [1] permuted [1, 0] : (tensor<8x4xf32>, tensor<i64>) -> tensor<32xf32>
  return %c, %d : tensor<32xf32>, tensor<32xf32>
}

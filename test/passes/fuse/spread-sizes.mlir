// RUN: weir-opt %s --weir-spread-sizes | FileCheck %s

// A mask is not needed where what it is for is not.
// CHECK-LABEL: func.func @mask
// CHECK: graph.broadcast %{{.*}} [1] {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]}
func.func @mask(%m: tensor<4xi1>, %x: tensor<8x4xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = graph.broadcast %m [1] : tensor<4xi1> to tensor<8x4xi1>
  %y = graph.select %b, %x, %z {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xi1>, tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Another user may need all of it.
// CHECK-LABEL: func.func @needed
// CHECK: graph.broadcast %{{.*}} [1] : tensor<4xf32>
func.func @needed(%m: tensor<4xf32>, %x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %b = graph.broadcast %m [1] : tensor<4xf32> to tensor<8x4xf32>
  %y = graph.add %b, %x {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xf32>
  return %y, %b : tensor<8x4xf32>, tensor<8x4xf32>
}

// Ops of family Shape are parsed, printed and parsed again.
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s

// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  // CHECK: graph.reshape %{{.*}} : tensor<2x3xf32> to tensor<6xf32>
  %y = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // CHECK: graph.transpose %{{.*}} [1, 0] : tensor<2x3xf32>
  %y = graph.transpose %x [1, 0] : tensor<2x3xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.broadcast %{{.*}} [1] : tensor<3xf32> to tensor<2x3xf32>
  %y = graph.broadcast %x [1] : tensor<3xf32> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @broadcast_scalar
func.func @broadcast_scalar(%x: tensor<ui8>) -> tensor<2x3xui8> {
  // CHECK: graph.broadcast %{{.*}} [] : tensor<ui8> to tensor<2x3xui8>
  %y = graph.broadcast %x [] : tensor<ui8> to tensor<2x3xui8>
  return %y : tensor<2x3xui8>
}

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.slice %{{.*}} [0, 1] to [2, 6] by [1, 2] : tensor<2x6xf32>
  %y = graph.slice %x [0, 1] to [2, 6] by [1, 2] : tensor<2x6xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x7xf32> {
  // CHECK: graph.pad %{{.*}}, %{{.*}} low [1, 0] high [0, 2] interior [0, 1] : tensor<2x3xf32>
  %y = graph.pad %x, %v low [1, 0] high [0, 2] interior [0, 1] : tensor<2x3xf32>
  return %y : tensor<3x7xf32>
}

// CHECK-LABEL: @concat
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
  // CHECK: graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<2x3xf32>, tensor<1x3xf32>
  %y = graph.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<1x3xf32>
  return %y : tensor<3x3xf32>
}

// CHECK-LABEL: @reverse
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.reverse %{{.*}} [1] : tensor<2x3xf32>
  %y = graph.reverse %x [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @iota
func.func @iota() -> tensor<2x3xi32> {
  // CHECK: graph.iota axis 1 : tensor<2x3xi32>
  %y = graph.iota axis 1 : tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// CHECK-LABEL: @empty
func.func @empty() -> tensor<2x3xf32> {
  // CHECK: graph.empty : tensor<2x3xf32>
  %y = graph.empty : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: weir-opt %s -weir-simplify-gradients | FileCheck %s

// Factors of one disappear, and signs are combined.
// CHECK-LABEL: @algebra(
// CHECK-NEXT: %[[D:.*]] = graph.sub %arg1, %arg0
// CHECK-NEXT: return %arg0, %[[D]]
func.func @algebra(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.differentiated} {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %a = graph.mul %one, %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.neg %b : tensor<4xf32>
  %d = graph.add %b, %y : tensor<4xf32>
  return %c, %d : tensor<4xf32>, tensor<4xf32>
}

// Splat constants stay splats when their elements move.
// CHECK-LABEL: @splat(
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<100x100xf32>
// CHECK-NEXT: return %[[C]]
func.func @splat() -> tensor<100x100xf32> attributes {weir.differentiated} {
  %c = graph.constant dense<2.0> : tensor<10000xf32>
  %r = graph.reshape %c : tensor<10000xf32> to tensor<100x100xf32>
  %t = graph.transpose %r [1, 0] : tensor<100x100xf32>
  return %t : tensor<100x100xf32>
}

// Functions without gradients stay as they are.
// CHECK-LABEL: @other(
// CHECK: graph.mul
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %a = graph.mul %one, %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Gradients by filters become convolutions, also in functions without other
// gradients.
// CHECK-LABEL: @filter(
// CHECK-NOT: graph.filter_gradient
// CHECK: graph.convolution {{.*}} strides [1, 1] padding_low [0, 0]
func.func @filter(%x: tensor<2x8x8x3xf32>, %r: tensor<2x6x6x5xf32>) -> tensor<5x3x3x3xf32> {
  %g = graph.filter_gradient %x, %r window [3, 3] strides [1, 1] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x6x6x5xf32>
  return %g : tensor<5x3x3x3xf32>
}

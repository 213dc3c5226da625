// The ops of family Neural are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3x4xf32>
  %c = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf32>
  return %c : tensor<2x4xf32>
}

// CHECK-LABEL: @matmul_mixed
func.func @matmul_mixed(%a: tensor<2x3xf32>, %b: tensor<3x4xbf16>) -> tensor<2x4xf32> {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3x4xbf16>
  %c = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xbf16>
  return %c : tensor<2x4xf32>
}

// CHECK-LABEL: @matmul_transposed
func.func @matmul_transposed(%a: tensor<5x3x2xi32>, %b: tensor<5x4x3xi32>) -> tensor<5x2x4xi32> {
  // CHECK: transpose_a transpose_b : tensor<5x3x2xi32>, tensor<5x4x3xi32>
  %c = graph.matmul %a, %b transpose_a transpose_b : tensor<5x3x2xi32>, tensor<5x4x3xi32>
  return %c : tensor<5x2x4xi32>
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: strides [2, 2] padding_low [0, 0] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>
  %y = graph.convolution %x, %w strides [2, 2] padding_low [0, 0] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<2x9x4xbf16>, %w: tensor<3x1x8xbf16>) -> tensor<2x5x8xbf16> {
  // CHECK: dilations [2] groups 4 : tensor<2x9x4xbf16>, tensor<3x1x8xbf16>
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [2] groups 4 : tensor<2x9x4xbf16>, tensor<3x1x8xbf16>
  return %y : tensor<2x5x8xbf16>
}

// CHECK-LABEL: @filter_gradient
func.func @filter_gradient(%x: tensor<2x8x8x3xf32>, %r: tensor<2x4x4x5xf32>) -> tensor<5x3x3x3xf32> {
  // CHECK: graph.filter_gradient %{{.*}}, %{{.*}} window [3, 3] strides [2, 2] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>
  %g = graph.filter_gradient %x, %r window [3, 3] strides [2, 2] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>
  return %g : tensor<5x3x3x3xf32>
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  // CHECK: graph.pool_max %{{.*}} window [2, 2] strides [2, 2] padding_low [0, 0] padding_high [0, 0] : tensor<1x8x8x3xf32>
  %y = graph.pool_max %x window [2, 2] strides [2, 2] padding_low [0, 0] padding_high [0, 0] : tensor<1x8x8x3xf32>
  return %y : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: @pool_average
func.func @pool_average(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  // CHECK: graph.pool_average %{{.*}} window [3] strides [1] padding_low [1] padding_high [1] : tensor<1x8x3xf32>
  %y = graph.pool_average %x window [3] strides [1] padding_low [1] padding_high [1] : tensor<1x8x3xf32>
  return %y : tensor<1x8x3xf32>
}

// CHECK-LABEL: @pool_average_with_padding
func.func @pool_average_with_padding(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  // CHECK: graph.pool_average %{{.*}} window [3] strides [1] padding_low [1] padding_high [1] {counts_padding} : tensor<1x8x3xf32>
  %y = graph.pool_average %x window [3] strides [1] padding_low [1] padding_high [1] {counts_padding} : tensor<1x8x3xf32>
  return %y : tensor<1x8x3xf32>
}

// CHECK-LABEL: @pool_arg_max
func.func @pool_arg_max(%x: tensor<1x8x3xf32>) -> tensor<1x4x3xi64> {
  // CHECK: graph.pool_arg_max %{{.*}} window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xf32>
  %i = graph.pool_arg_max %x window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xf32>
  return %i : tensor<1x4x3xi64>
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK: graph.softmax %{{.*}} : tensor<2x5xf32>
  %y = graph.softmax %x : tensor<2x5xf32>
  // CHECK: graph.softmax %{{.*}} masked : tensor<2x5xf32>
  %z = graph.softmax %x masked : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// CHECK-LABEL: @log_softmax
func.func @log_softmax(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK: graph.log_softmax %{{.*}} : tensor<2x5xf32>
  %y = graph.log_softmax %x : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// CHECK-LABEL: @suppress
func.func @suppress(%b: tensor<8x4xf32>, %c: tensor<8xf32>, %overlap: tensor<f32>, %lowest: tensor<f32>, %soft: tensor<f32>, %most: tensor<i32>) -> (tensor<5xi32>, tensor<5xf32>, tensor<i32>) {
  // CHECK: graph.suppress {{.*}} limit 5 : tensor<8x4xf32>
  %i, %s, %n = graph.suppress %b, %c, %overlap, %lowest, %soft, %most limit 5 : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return %i, %s, %n : tensor<5xi32>, tensor<5xf32>, tensor<i32>
}

// Only the first terms of each sum count.
// CHECK-LABEL: @matmul_depth
func.func @matmul_depth(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %n: tensor<i64>) -> tensor<2x4xf32> {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} depth %{{.*}} : tensor<2x3xf32>, tensor<3x4xf32>
  %c = graph.matmul %a, %b depth %n : tensor<2x3xf32>, tensor<3x4xf32>
  return %c : tensor<2x4xf32>
}

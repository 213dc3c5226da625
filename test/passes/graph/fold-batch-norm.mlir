// RUN: weir-opt %s -weir-fold-batch-norm | FileCheck %s

// A batch normalization with explicit constants becomes one filter and one bias.
// CHECK-LABEL: @convolution
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+00, 6.000000e+00]]]]> : tensor<1x1x1x2xf32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[4.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = graph.convolution %arg0, %[[W]]
// CHECK: %[[S:.*]] = graph.broadcast %[[B]] [3] : tensor<2xf32> to tensor<1x64x64x2xf32>
// CHECK: %[[Z:.*]] = graph.add %[[Y]], %[[S]]
// CHECK-NEXT: return %[[Z]]
func.func @convolution(%x: tensor<1x64x64x1xf32>) -> tensor<1x64x64x2xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  %mean = graph.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %scale = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %offset = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %0 = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x64x64x1xf32>, tensor<1x1x1x2xf32>
  %1 = graph.broadcast %mean [3] : tensor<2xf32> to tensor<1x64x64x2xf32>
  %2 = graph.sub %0, %1 : tensor<1x64x64x2xf32>
  %3 = graph.broadcast %scale [3] : tensor<2xf32> to tensor<1x64x64x2xf32>
  %4 = graph.mul %2, %3 : tensor<1x64x64x2xf32>
  %5 = graph.broadcast %offset [3] : tensor<2xf32> to tensor<1x64x64x2xf32>
  %6 = graph.add %4, %5 : tensor<1x64x64x2xf32>
  return %6 : tensor<1x64x64x2xf32>
}

// The columns of a transposed matrix are its rows. The small broadcast becomes a
// constant.
// CHECK-LABEL: @matmul
// CHECK: graph.constant dense<{{\[\[}}1.000000e+00, 1.000000e+00], [3.000000e+00, 3.000000e+00]]> : tensor<2x2xf64>
// CHECK: %[[Y:.*]] = graph.matmul %arg0, %{{.*}} transpose_b
// CHECK-NEXT: return %[[Y]]
func.func @matmul(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %w = graph.constant dense<[[4.0, 4.0], [6.0, 6.0]]> : tensor<2x2xf64>
  %by = graph.constant dense<[[4.0, 2.0]]> : tensor<1x2xf64>
  %0 = graph.matmul %x, %w transpose_b : tensor<4x2xf64>, tensor<2x2xf64>
  %1 = graph.broadcast %by [0, 1] : tensor<1x2xf64> to tensor<4x2xf64>
  %2 = graph.div %0, %1 : tensor<4x2xf64>
  return %2 : tensor<4x2xf64>
}

// One number scales all channels.
// CHECK-LABEL: @scalar
// CHECK: graph.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>
// CHECK-NOT: graph.mul
func.func @scalar(%x: tensor<4x2xf32>) -> tensor<4x1xf32> {
  %w = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %two = graph.constant dense<2.0> : tensor<4x1xf32>
  %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x1xf32>
  %1 = graph.mul %two, %0 : tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// A factor per row is no factor per channel.
// CHECK-LABEL: @rows
// CHECK: graph.mul
func.func @rows(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = graph.broadcast %s [0] : tensor<2xf32> to tensor<2x2xf32>
  %2 = graph.mul %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Another op reads the unscaled product.
// CHECK-LABEL: @two_uses
// CHECK: graph.mul
func.func @two_uses(%x: tensor<4x2xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %w = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %two = graph.constant dense<2.0> : tensor<4x1xf32>
  %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x1xf32>
  %1 = graph.mul %0, %two : tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// A filter that is no constant stays.
// CHECK-LABEL: @variable_filter
// CHECK: graph.mul
func.func @variable_filter(%x: tensor<4x2xf32>, %w: tensor<2x1xf32>)
    -> tensor<4x1xf32> {
  %two = graph.constant dense<2.0> : tensor<4x1xf32>
  %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x1xf32>
  %1 = graph.mul %0, %two : tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// A quotient by zero is no factor, and integers do not divide exactly.
// CHECK-LABEL: @quotients
// CHECK: graph.div
// CHECK: graph.div
func.func @quotients(%x: tensor<4x2xf32>, %i: tensor<4x2xi32>)
    -> (tensor<4x1xf32>, tensor<4x1xi32>) {
  %w = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %zero = graph.constant dense<0.0> : tensor<4x1xf32>
  %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x1xf32>
  %1 = graph.div %0, %zero : tensor<4x1xf32>
  %v = graph.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %two = graph.constant dense<2> : tensor<4x1xi32>
  %2 = graph.matmul %i, %v : tensor<4x2xi32>, tensor<2x1xi32>
  %3 = graph.div %2, %two : tensor<4x1xi32>
  return %1, %3 : tensor<4x1xf32>, tensor<4x1xi32>
}

// A filter that is also the other operand is scaled only as the filter.
// CHECK-LABEL: @squared
// CHECK-DAG: %[[C:.*]] = graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[\[}}1.000000e+01, 2.000000e+02], [3.000000e+01, 4.000000e+02]]>
// CHECK: graph.matmul %[[C]], %[[W]]
func.func @squared() -> tensor<2x2xf32> {
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = graph.constant dense<[[10.0, 100.0], [10.0, 100.0]]> : tensor<2x2xf32>
  %m = graph.matmul %c, %c : tensor<2x2xf32>, tensor<2x2xf32>
  %r = graph.mul %m, %s : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// The pass does not compare the elements of constants that are larger than the channels
// of any layer.
// CHECK-LABEL: func.func @long
func.func @long(%x: tensor<2147483648xf32>) -> tensor<2147483648xf32> {
  %c = graph.constant dense<2.0> : tensor<2147483648xf32>
  // CHECK: graph.add %{{.*}}, %{{.*}} : tensor<2147483648xf32>
  %y = graph.add %x, %c : tensor<2147483648xf32>
  return %y : tensor<2147483648xf32>
}

// -----

// f16 weights are not scaled, because the products would be rounded.
// CHECK-LABEL: @f16
// CHECK: graph.matmul %arg0, %{{.*}} : tensor<1x2xf32>, tensor<2x3xf16>
// CHECK: graph.mul
func.func @f16(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
  %w = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf16>
  %s = graph.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
  %y = graph.matmul %x, %w : tensor<1x2xf32>, tensor<2x3xf16>
  %b = graph.broadcast %s [1] : tensor<3xf32> to tensor<1x3xf32>
  %z = graph.mul %y, %b : tensor<1x3xf32>
  return %z : tensor<1x3xf32>
}

// RUN: weir-opt %s -split-input-file --weir-hoist-transposes | FileCheck %s

// An image is transposed before its enlargement in both directions, and so are the
// constant factors of its elements.
// CHECK-LABEL: @enlarged
// CHECK: %[[X:.*]] = graph.transpose %arg0 [0, 2, 1] : tensor<1x4x3xf32>
// CHECK: %[[A:.*]] = graph.gather %[[X]], %{{.*}} axis 2 batch_dims 0 : tensor<1x3x4xf32>, tensor<8xi64>
// CHECK: %[[W:.*]] = graph.broadcast %arg1 [2] : tensor<8xf32> to tensor<1x3x8xf32>
// CHECK: %[[P:.*]] = graph.mul %[[A]], %[[W]] : tensor<1x3x8xf32>
// CHECK: %[[B:.*]] = graph.gather %[[X]], %{{.*}} axis 2 batch_dims 0 : tensor<1x3x4xf32>, tensor<8xi64>
// CHECK: %[[Y:.*]] = graph.add %[[P]], %[[B]] : tensor<1x3x8xf32>
// CHECK: return %[[Y]]
func.func @enlarged(%x: tensor<1x4x3xf32>, %w: tensor<8xf32>) -> tensor<1x3x8xf32> {
  %i = graph.constant dense<[0, 0, 0, 1, 1, 2, 2, 3]> : tensor<8xi64>
  %j = graph.constant dense<[0, 1, 1, 2, 2, 3, 3, 3]> : tensor<8xi64>
  %a = graph.gather %x, %i axis 1 batch_dims 0 : tensor<1x4x3xf32>, tensor<8xi64>
  %b = graph.gather %x, %j axis 1 batch_dims 0 : tensor<1x4x3xf32>, tensor<8xi64>
  %ws = graph.broadcast %w [1] : tensor<8xf32> to tensor<1x8x3xf32>
  %p = graph.mul %a, %ws : tensor<1x8x3xf32>
  %q = graph.add %p, %b : tensor<1x8x3xf32>
  %y = graph.transpose %q [0, 2, 1] : tensor<1x8x3xf32>
  return %y : tensor<1x3x8xf32>
}

// -----

// The transpose moves from the gather of one direction to that of the next.
// CHECK-LABEL: @twice
// CHECK: graph.transpose %arg0 [2, 0, 1] : tensor<2x3x5xf32>
// CHECK: graph.gather %{{.*}} axis 1 {{.*}} : tensor<5x2x3xf32>, tensor<4xi64>
// CHECK: graph.gather %{{.*}} axis 2 {{.*}} : tensor<5x4x3xf32>, tensor<6xi64>
// CHECK-NOT: graph.transpose
func.func @twice(%x: tensor<2x3x5xf32>) -> tensor<5x4x6xf32> {
  %i = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %j = graph.constant dense<[0, 1, 1, 2, 2, 2]> : tensor<6xi64>
  %a = graph.gather %x, %i axis 0 batch_dims 0 : tensor<2x3x5xf32>, tensor<4xi64>
  %b = graph.gather %a, %j axis 1 batch_dims 0 : tensor<4x3x5xf32>, tensor<6xi64>
  %y = graph.transpose %b [2, 0, 1] : tensor<4x6x5xf32>
  return %y : tensor<5x4x6xf32>
}

// -----

// A transpose stays if as many elements would be transposed before, or if another op
// reads its source.
// CHECK-LABEL: @chosen
// CHECK: graph.gather
// CHECK-NEXT: graph.transpose
func.func @chosen(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %i = graph.constant dense<[3, 1, 2, 0]> : tensor<4xi64>
  %a = graph.gather %x, %i axis 0 batch_dims 0 : tensor<4x3xf32>, tensor<4xi64>
  %y = graph.transpose %a [1, 0] : tensor<4x3xf32>
  return %y : tensor<3x4xf32>
}
// CHECK-LABEL: @read
// CHECK: graph.gather
// CHECK-NEXT: graph.transpose
func.func @read(%x: tensor<4x3xf32>) -> (tensor<8x3xf32>, tensor<3x8xf32>) {
  %i = graph.constant dense<[0, 0, 0, 1, 1, 2, 2, 3]> : tensor<8xi64>
  %a = graph.gather %x, %i axis 0 batch_dims 0 : tensor<4x3xf32>, tensor<8xi64>
  %y = graph.transpose %a [1, 0] : tensor<8x3xf32>
  return %a, %y : tensor<8x3xf32>, tensor<3x8xf32>
}

// -----

// A transpose ends at the actual size, and the strip beyond it is filled after it.
// CHECK-LABEL: @filled
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [0, 2, 1] : tensor<1x4x16xf32>
// CHECK: %[[F:.*]] = graph.fill_beyond %[[T]], %{{.*}}, %{{.*}} along 1 reach 3 : (tensor<1x16x4xf32>, tensor<i64>, tensor<f32>)
// CHECK: return %[[F]]
func.func @filled(%x: tensor<1x4x16xf32>, %n: tensor<i64>, %v: tensor<f32>) -> tensor<1x16x4xf32> {
  %f = graph.fill_beyond %x, %n, %v along 2 reach 3 : (tensor<1x4x16xf32>, tensor<i64>, tensor<f32>) -> tensor<1x4x16xf32>
  %t = graph.transpose %f [0, 2, 1] : tensor<1x4x16xf32>
  return %t : tensor<1x16x4xf32>
}

// -----

// Elements without gaps are read and written in the other order.
// CHECK-LABEL: @corners
// CHECK: %[[S:.*]] = graph.spread %{{.*}}[%{{.*}}] along [1] to [8, 16] permuted [1, 0] {weir.sizes = [array<i64: 16, 0>, array<i64: 8, -1>]}
// CHECK: graph.compact %[[S]][%{{.*}}] along [1] permuted [1, 0] : (tensor<16x8xf32>, tensor<i64>)
func.func @corners(%x: tensor<128xf32>, %n: tensor<i64>) -> tensor<128xf32> {
  %s = graph.spread %x [%n] along [1] to [8, 16] {weir.sizes = [array<i64: 8, -1>, array<i64: 16, 0>]} : (tensor<128xf32>, tensor<i64>) -> tensor<8x16xf32>
  %t = graph.transpose %s [1, 0] : tensor<8x16xf32>
  %u = graph.transpose %t [1, 0] : tensor<16x8xf32>
  %y = graph.compact %u [%n] along [1] : (tensor<8x16xf32>, tensor<i64>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}

// -----

// Three channels are shorter than a vector, so the transpose stays.
// CHECK-LABEL: @short_rows
// CHECK: graph.spread %{{.*}} along [1] to [3, 16] :
// CHECK: graph.transpose
func.func @short_rows(%x: tensor<48xf32>, %n: tensor<i64>) -> tensor<16x3xf32> {
  %s = graph.spread %x [%n] along [1] to [3, 16] : (tensor<48xf32>, tensor<i64>) -> tensor<3x16xf32>
  %t = graph.transpose %s [1, 0] : tensor<3x16xf32>
  return %t : tensor<16x3xf32>
}

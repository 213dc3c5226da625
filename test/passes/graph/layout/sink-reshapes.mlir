// RUN: weir-opt %s -split-input-file -weir-sink-reshapes | FileCheck %s

// Elementwise ops move before the reshape. Splats take any shape, and operands with the
// same reshape lose it.
// CHECK-LABEL: @chain
// CHECK-SAME: (%[[X:.*]]: tensor<6xf32>)
// CHECK: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<6xf32>
// CHECK: %[[E:.*]] = graph.exp %[[X]]
// CHECK: %[[M:.*]] = graph.mul %[[E]], %[[C]] : tensor<6xf32>
// CHECK: %[[A:.*]] = graph.add %[[M]], %[[E]] : tensor<6xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[A]] : tensor<6xf32> to tensor<2x3xf32>
// CHECK: return %[[R]]
func.func @chain(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %c = graph.constant dense<2.0> : tensor<2x3xf32>
  %e = graph.exp %x : tensor<6xf32>
  %0 = graph.reshape %e : tensor<6xf32> to tensor<2x3xf32>
  %1 = graph.mul %0, %c : tensor<2x3xf32>
  %2 = graph.add %1, %0 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// An op that may be an epilogue takes the contraction's shape, whatever its other
// operands are. A bias is broadcast along rows in any shape.
// CHECK-LABEL: @epilogue
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[W:.*]]: tensor<4x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2x4x4xf32>)
// CHECK: %[[M:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK: %[[BIAS:.*]] = graph.broadcast %[[B]] [1] : tensor<4xf32> to tensor<8x4xf32>
// CHECK: %[[A:.*]] = graph.add %[[M]], %[[BIAS]] : tensor<8x4xf32>
// CHECK: %[[OTHER:.*]] = graph.reshape %[[Y]] : tensor<2x4x4xf32> to tensor<8x4xf32>
// CHECK: %[[S:.*]] = graph.add %[[A]], %[[OTHER]] : tensor<8x4xf32>
// CHECK: graph.reshape %[[S]] : tensor<8x4xf32> to tensor<2x4x4xf32>
func.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %y: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %0 = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
  %1 = graph.reshape %0 : tensor<8x4xf32> to tensor<2x4x4xf32>
  %2 = graph.broadcast %b [2] : tensor<4xf32> to tensor<2x4x4xf32>
  %3 = graph.add %1, %2 : tensor<2x4x4xf32>
  %4 = graph.add %3, %y : tensor<2x4x4xf32>
  return %4 : tensor<2x4x4xf32>
}

// -----

// One reshape is enough for two contractions of different shapes.
// CHECK-LABEL: @two
// CHECK-COUNT-2: graph.matmul
// CHECK: graph.reshape
// CHECK: graph.add
// CHECK: graph.reshape
// CHECK-NOT: graph.reshape
func.func @two(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>, %w: tensor<4x4xf32>, %v: tensor<8x8xf32>) -> tensor<2x16xf32> {
  %0 = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
  %1 = graph.matmul %y, %v : tensor<4x8xf32>, tensor<8x8xf32>
  %2 = graph.reshape %0 : tensor<8x4xf32> to tensor<2x16xf32>
  %3 = graph.reshape %1 : tensor<4x8xf32> to tensor<2x16xf32>
  %4 = graph.add %2, %3 : tensor<2x16xf32>
  return %4 : tensor<2x16xf32>
}

// -----

// The values of rows are broadcast without dimensions of 1.
// CHECK-LABEL: @rows
// CHECK: %[[SUM:.*]] = graph.reduce_sum
// CHECK: %[[R:.*]] = graph.rsqrt %[[SUM]] : tensor<2x8xf32>
// CHECK: graph.broadcast %[[R]] [0, 1] : tensor<2x8xf32> to tensor<2x8x16xf32>
func.func @rows(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = graph.reduce_sum %x [2] : tensor<2x8x16xf32>
  %1 = graph.reshape %0 : tensor<2x8xf32> to tensor<2x8x1xf32>
  %2 = graph.rsqrt %1 : tensor<2x8x1xf32>
  %3 = graph.broadcast %2 [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// -----

// These reshapes stay: one of an argument, and one whose other operand would need a
// reshape. A contraction with a reduction as another user has no such epilogue.
// CHECK-LABEL: @stay
// CHECK: %[[A:.*]] = graph.reshape %{{.*}} : tensor<6xf32> to tensor<2x3xf32>
// CHECK: graph.exp %[[A]] : tensor<2x3xf32>
// CHECK: %[[B:.*]] = graph.reshape %{{.*}} : tensor<6xf32> to tensor<2x3xf32>
// CHECK: graph.add %[[B]], %{{.*}} : tensor<2x3xf32>
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: graph.reduce_sum %[[M]]
// CHECK: %[[C:.*]] = graph.reshape %[[M]]
// CHECK: graph.add %[[C]], %{{.*}} : tensor<2x3xf32>
func.func @stay(%x: tensor<6xf32>, %y: tensor<2x3xf32>, %v: tensor<6x1xf32>, %w: tensor<1x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>) {
  %0 = graph.reshape %x : tensor<6xf32> to tensor<2x3xf32>
  %1 = graph.exp %0 : tensor<2x3xf32>
  %2 = graph.exp %x : tensor<6xf32>
  %3 = graph.reshape %2 : tensor<6xf32> to tensor<2x3xf32>
  %4 = graph.add %3, %y : tensor<2x3xf32>
  %5 = graph.matmul %v, %w : tensor<6x1xf32>, tensor<1x1xf32>
  %6 = graph.reduce_sum %5 [0, 1] : tensor<6x1xf32>
  %7 = graph.reshape %5 : tensor<6x1xf32> to tensor<2x3xf32>
  %8 = graph.add %7, %y : tensor<2x3xf32>
  return %1, %4, %6, %8 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>
}

// -----

// Heads and batches that are one dimension of the products become two dimensions again.
// CHECK-LABEL: @heads
// CHECK-SAME: (%[[Q:.*]]: tensor<2x3x5x4xf32>, %[[K:.*]]: tensor<2x3x7x4xf32>, %[[V:.*]]: tensor<2x3x7x4xf32>
// CHECK-NEXT: %[[S:.*]] = graph.matmul %[[Q]], %[[K]] transpose_b : tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>
// CHECK-NEXT: %[[A:.*]] = graph.add %[[S]], %{{.*}} : tensor<2x3x5x7xf32>
// CHECK-NEXT: %[[P:.*]] = graph.softmax %[[A]] : tensor<2x3x5x7xf32>
// CHECK-NEXT: %[[R:.*]] = graph.matmul %[[P]], %[[V]] : tensor<2x3x5x7xf32>, tensor<2x3x7x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @heads(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>, %m: tensor<2x3x5x7xf32>) -> tensor<2x3x5x4xf32> {
  %0 = graph.reshape %q : tensor<2x3x5x4xf32> to tensor<6x5x4xf32>
  %1 = graph.reshape %k : tensor<2x3x7x4xf32> to tensor<6x7x4xf32>
  %2 = graph.reshape %v : tensor<2x3x7x4xf32> to tensor<6x7x4xf32>
  %3 = graph.matmul %0, %1 transpose_b : tensor<6x5x4xf32>, tensor<6x7x4xf32>
  %4 = graph.reshape %3 : tensor<6x5x7xf32> to tensor<2x3x5x7xf32>
  %5 = graph.add %4, %m : tensor<2x3x5x7xf32>
  %6 = graph.reshape %5 : tensor<2x3x5x7xf32> to tensor<6x5x7xf32>
  %7 = graph.softmax %6 : tensor<6x5x7xf32>
  %8 = graph.matmul %7, %2 : tensor<6x5x7xf32>, tensor<6x7x4xf32>
  %9 = graph.reshape %8 : tensor<6x5x4xf32> to tensor<2x3x5x4xf32>
  return %9 : tensor<2x3x5x4xf32>
}

// -----

// Products and softmax stay after the reshape if the operands have different batches,
// or if the reshape changes matrices or rows.
// CHECK-LABEL: @other_matrices
// CHECK: graph.matmul %{{.*}} : tensor<6x5x4xf32>, tensor<6x4x7xf32>
// CHECK: graph.matmul %{{.*}} : tensor<6x4x5xf32>, tensor<6x5x7xf32>
// CHECK: graph.softmax %{{.*}} : tensor<30x7xf32>
func.func @other_matrices(%a: tensor<2x3x5x4xf32>, %b: tensor<3x2x4x7xf32>, %c: tensor<2x3x5x7xf32>) -> (tensor<6x5x7xf32>, tensor<6x4x7xf32>, tensor<30x7xf32>) {
  %0 = graph.reshape %a : tensor<2x3x5x4xf32> to tensor<6x5x4xf32>
  %1 = graph.reshape %b : tensor<3x2x4x7xf32> to tensor<6x4x7xf32>
  %2 = graph.matmul %0, %1 : tensor<6x5x4xf32>, tensor<6x4x7xf32>
  %3 = graph.reshape %a : tensor<2x3x5x4xf32> to tensor<6x4x5xf32>
  %4 = graph.reshape %c : tensor<2x3x5x7xf32> to tensor<6x5x7xf32>
  %5 = graph.matmul %3, %4 : tensor<6x4x5xf32>, tensor<6x5x7xf32>
  %6 = graph.exp %c : tensor<2x3x5x7xf32>
  %7 = graph.reshape %6 : tensor<2x3x5x7xf32> to tensor<30x7xf32>
  %8 = graph.softmax %7 : tensor<30x7xf32>
  return %2, %5, %8 : tensor<6x5x7xf32>, tensor<6x4x7xf32>, tensor<30x7xf32>
}

// -----

// The sizes of an op are converted to its new shape.
// CHECK-LABEL: @sizes
// CHECK: graph.exp %{{.*}} {weir.sizes = [array<i64: 4, 2>, array<i64: 2, -1, 4, -1>]} : tensor<4x8xf32>
func.func @sizes(%x: tensor<4x8xf32>) -> tensor<4x2x4xf32> {
  %e = graph.exp %x : tensor<4x8xf32>
  %t = graph.reshape %e : tensor<4x8xf32> to tensor<4x2x4xf32>
  %y = graph.exp %t {weir.sizes = [array<i64: 4, 2>, array<i64: 2, -1>, array<i64: 4, -1>]} : tensor<4x2x4xf32>
  return %y : tensor<4x2x4xf32>
}

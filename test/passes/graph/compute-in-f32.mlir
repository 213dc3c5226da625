// RUN: weir-opt %s -split-input-file --weir-compute-in-f32 | FileCheck %s

// Nothing is rounded between ops, and a cast to f16 without users disappears.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: %[[W:.*]] = graph.cast %[[X]] : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[W]] : tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[E]], %[[W]] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT: return %[[Y]]
func.func @chain(%x: tensor<4xf16>) -> tensor<4xf16> {
  %e = graph.exp %x : tensor<4xf16>
  %y = graph.add %e, %x : tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// A value that was rounded only for its type stays wide. An explicit cast to f16 stays.
// CHECK-LABEL: @casts
// CHECK-NEXT: %[[E:.*]] = graph.exp %arg0
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[E]] : tensor<4xf32>
// CHECK-NEXT: %[[H:.*]] = graph.cast %[[R]] rounds : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: %[[W:.*]] = graph.cast %[[H]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[I:.*]] = graph.cast %[[R]] : tensor<4xf32> to tensor<4xi32>
// CHECK-NEXT: return %[[W]], %[[I]]
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %e = graph.exp %x : tensor<4xf32>
  %h = graph.cast %e : tensor<4xf32> to tensor<4xbf16>
  %r = graph.relu %h : tensor<4xbf16>
  %f = graph.cast %r : tensor<4xbf16> to tensor<4xf32>
  %s = graph.cast %f rounds : tensor<4xf32> to tensor<4xbf16>
  %w = graph.cast %s : tensor<4xbf16> to tensor<4xf32>
  %i = graph.cast %r : tensor<4xbf16> to tensor<4xi32>
  return %w, %i : tensor<4xf32>, tensor<4xi32>
}

// -----

// Weights are widened to f32 for several rows, and not for one. The processor
// multiplies bf16 itself.
// CHECK-LABEL: @products
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<9x4xf32>, tensor<4x16xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<1x4xf32>, tensor<4x16xf16>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<9x4xbf16>, tensor<4x16xbf16>
func.func @products(%x: tensor<9x4xf16>, %few: tensor<1x4xf16>, %b: tensor<9x4xbf16>) -> (tensor<9x16xf16>, tensor<1x16xf16>, tensor<9x16xbf16>) {
  %w = graph.constant dense<1.0> : tensor<4x16xf16>
  %v = graph.constant dense<1.0> : tensor<4x16xbf16>
  %y = graph.matmul %x, %w : tensor<9x4xf16>, tensor<4x16xf16>
  %z = graph.matmul %few, %w : tensor<1x4xf16>, tensor<4x16xf16>
  %u = graph.matmul %b, %v : tensor<9x4xbf16>, tensor<4x16xbf16>
  return %y, %z, %u : tensor<9x16xf16>, tensor<1x16xf16>, tensor<9x16xbf16>
}

// -----

// If weights come from memory, a product needs more rows for widened weights. Weights
// that are too large are never widened.
// CHECK-LABEL: @memory
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<8x4096xf32>, tensor<4096x4096xf16>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<9x4096xf32>, tensor<4096x4096xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<9x4096xf32>, tensor<4096x4097xf16>
func.func @memory(%few: tensor<8x4096xf16>, %x: tensor<9x4096xf16>) -> (tensor<8x4096xf16>, tensor<9x4096xf16>, tensor<9x4097xf16>) {
  %w = graph.constant dense<1.0> : tensor<4096x4096xf16>
  %large = graph.constant dense<1.0> : tensor<4096x4097xf16>
  %y = graph.matmul %few, %w : tensor<8x4096xf16>, tensor<4096x4096xf16>
  %z = graph.matmul %x, %w : tensor<9x4096xf16>, tensor<4096x4096xf16>
  %u = graph.matmul %x, %large : tensor<9x4096xf16>, tensor<4096x4097xf16>
  return %y, %z, %u : tensor<8x4096xf16>, tensor<9x4096xf16>, tensor<9x4097xf16>
}

// -----

// Moved values keep their stored type, and computed values are f32. The gathered rows
// of a table are cast, and not the table.
// CHECK-LABEL: @moves
// CHECK: graph.transpose %arg0 [1, 0] : tensor<2x3xf16>
// CHECK: graph.transpose %{{.*}} [1, 0] : tensor<2x3xf32>
// CHECK: graph.gather %{{.*}} : tensor<8x3xf16>, tensor<2xi32>
func.func @moves(%x: tensor<2x3xf16>, %i: tensor<2xi32>) -> (tensor<3x2xf16>, tensor<3x2xf16>, tensor<2x3xf16>) {
  %t = graph.transpose %x [1, 0] : tensor<2x3xf16>
  %e = graph.exp %x : tensor<2x3xf16>
  %u = graph.transpose %e [1, 0] : tensor<2x3xf16>
  %table = graph.constant dense<1.0> : tensor<8x3xf16>
  %g = graph.gather %table, %i axis 0 batch_dims 0 : tensor<8x3xf16>, tensor<2xi32>
  %s = graph.mul %g, %x : tensor<2x3xf16>
  return %t, %u, %s : tensor<3x2xf16>, tensor<3x2xf16>, tensor<2x3xf16>
}

// -----

// A value that a region computes is f32 only inside of it; a value from outside may be
// used elsewhere.
// CHECK-LABEL: @region
// CHECK-NEXT: %[[W:.*]] = graph.cast %arg1 : tensor<4xf16> to tensor<4xf32>
// CHECK: graph.if
// CHECK: graph.exp %[[W]] : tensor<4xf32>
// CHECK: graph.yield %{{.*}} : tensor<4xf16>
// CHECK: graph.tanh %[[W]] : tensor<4xf32>
func.func @region(%p: tensor<i1>, %x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf16>) {
    %e = graph.exp %x : tensor<4xf16>
    graph.yield %e : tensor<4xf16>
  } else {
    graph.yield %x : tensor<4xf16>
  }
  %t = graph.tanh %x : tensor<4xf16>
  return %y, %t : tensor<4xf16>, tensor<4xf16>
}

// -----

// A bitcast uses the bits of the stored type.
// CHECK-LABEL: @bits
// CHECK-NEXT: graph.bitcast %arg0 : tensor<4xf16> to tensor<4xi16>
func.func @bits(%x: tensor<4xf16>) -> tensor<4xi16> {
  %b = graph.bitcast %x : tensor<4xf16> to tensor<4xi16>
  return %b : tensor<4xi16>
}

// -----

// A GPU multiplies f16.
// CHECK-LABEL: module
// CHECK: graph.exp %arg0 : tensor<4xf16>
module attributes {weir.gpu = #weir.gpu<>} {
  func.func @gpu(%x: tensor<4xf16>) -> tensor<4xf16> {
    %e = graph.exp %x : tensor<4xf16>
    return %e : tensor<4xf16>
  }
}

// -----

// Products of two types have no derivative. So with gradients, weights are widened for
// one row, too. Constants that are only moved keep their type.
// CHECK-LABEL: @gradient
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<1x4xf32>, tensor<4x16xf32>
// CHECK: graph.gradient
func.func @gradient(%x: tensor<1x4xf16>) -> tensor<1x4xf16> {
  %w = graph.constant dense<1.0> : tensor<4x16xf16>
  %y = graph.matmul %x, %w : tensor<1x4xf16>, tensor<4x16xf16>
  %s = graph.reduce_sum %y [0, 1] : tensor<1x16xf16>
  %g = graph.gradient %s of %x : tensor<f16>, (tensor<1x4xf16>)
  return %g : tensor<1x4xf16>
}

// -----

// CHECK-LABEL: @transposed
// CHECK: %[[T:.*]] = graph.cast %{{.*}} : tensor<4x16xf32> to tensor<4x16xf16>
// CHECK: graph.matmul %{{.*}}, %[[T]] : tensor<1x4xf32>, tensor<4x16xf16>
func.func @transposed(%x: tensor<1x4xf16>) -> tensor<1x16xf16> {
  %w = graph.constant dense<1.0> : tensor<16x4xf16>
  %t = graph.transpose %w [1, 0] : tensor<16x4xf16>
  %y = graph.matmul %x, %t : tensor<1x4xf16>, tensor<4x16xf16>
  return %y : tensor<1x16xf16>
}

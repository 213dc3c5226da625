// Matrix products become kernels.
// RUN: weir-opt %s -split-input-file -weir-lower-graph | FileCheck %s

// Few rows read the right side where it is.
// CHECK-LABEL: @batched
func.func @batched(%a: tensor<5x3x2xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  // CHECK: %[[C:.*]] = tensor.empty() : tensor<5x2x4xf32>
  // CHECK: kernel.matmul ins(%arg0, %arg1 : tensor<5x3x2xf32>, tensor<5x3x4xf32>) outs(%[[C]] : tensor<5x2x4xf32>) -> tensor<5x2x4xf32> attributes {transpose_a}
  // CHECK: kernel.yield %{{.*}} : f32
  %c = graph.matmul %a, %b transpose_a : tensor<5x3x2xf32>, tensor<5x3x4xf32>
  return %c : tensor<5x2x4xf32>
}

// -----

// Many rows are worth a packed copy; the width of a panel is the target's.
module attributes {weir.target = {vector_bits = 256 : i64}} {
  // CHECK-LABEL: @packed
  func.func @packed(%a: tensor<64x3xf32>, %b: tensor<40x3xf32>) -> tensor<64x40xf32> {
    // CHECK: kernel.pack ins(%arg1 : tensor<40x3xf32>) outs(%{{.*}} : tensor<3x3x16xf32>) -> tensor<3x3x16xf32> {transpose_b}
    // CHECK: kernel.matmul
    %c = graph.matmul %a, %b transpose_b : tensor<64x3xf32>, tensor<40x3xf32>
    return %c : tensor<64x40xf32>
  }
}

// -----

// Halves are summed in f32.
// CHECK-LABEL: @halves
func.func @halves(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>) -> tensor<2x4xf16> {
  // CHECK: kernel.matmul
  // CHECK: ^bb0(%[[SUM:.*]]: f32):
  // CHECK: %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK: kernel.yield %[[HALF]] : f16
  %c = graph.matmul %a, %b : tensor<2x3xf16>, tensor<3x4xf16>
  return %c : tensor<2x4xf16>
}

// -----

// Wrapping products are the same for unsigned numbers.
// CHECK-LABEL: @unsigned
func.func @unsigned(%a: tensor<2x3xui8>, %b: tensor<3x4xui8>) -> tensor<2x4xui8> {
  // CHECK: kernel.matmul ins(%{{.*}} : tensor<2x3xi8>, tensor<3x4xi8>)
  %c = graph.matmul %a, %b : tensor<2x3xui8>, tensor<3x4xui8>
  return %c : tensor<2x4xui8>
}

// -----

// A sum of nothing is zero.
// CHECK-LABEL: @no_depth
func.func @no_depth(%a: tensor<2x0xf32>, %b: tensor<0x4xf32>) -> tensor<2x4xf32> {
  // CHECK: linalg.fill
  // CHECK-NOT: kernel
  // CHECK: return
  %c = graph.matmul %a, %b : tensor<2x0xf32>, tensor<0x4xf32>
  return %c : tensor<2x4xf32>
}

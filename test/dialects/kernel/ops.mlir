// RUN: weir-opt %s -split-input-file | weir-opt -split-input-file | FileCheck %s

// A product on packed columns, with a bias.
// CHECK-LABEL: func @matmul
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<1x8x32xf32>) extras(%{{.*}} : tensor<20xf32>) outs(%{{.*}} : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [#{{.*}}]} {
// CHECK: kernel.yield %{{.*}} : f32
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>, %bias: tensor<20xf32>, %c: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<1x8x32xf32>) extras(%bias : tensor<20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return %y : tensor<4x20xf32>
}

// -----

// Buffers, plain columns and transposed rows; sums wider than the elements.
// CHECK-LABEL: func @matmul_buffers
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : memref<2x8x4xf16>, memref<2x8x20xf16>) outs(%{{.*}} : memref<2x4x20xf16>) attributes {transpose_a} {
func.func @matmul_buffers(%a: memref<2x8x4xf16>, %b: memref<2x8x20xf16>, %c: memref<2x4x20xf16>) {
  kernel.matmul ins(%a, %b : memref<2x8x4xf16>, memref<2x8x20xf16>) outs(%c : memref<2x4x20xf16>) attributes {transpose_a} {
  ^bb0(%sum: f32):
    %v = arith.truncf %sum : f32 to f16
    kernel.yield %v : f16
  }
  return
}

// -----

// CHECK-LABEL: func @pack
// CHECK: kernel.pack ins(%{{.*}} : tensor<8x20xf32>) outs(%{{.*}} : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
func.func @pack(%b: tensor<8x20xf32>, %e: tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {
  %p = kernel.pack ins(%b : tensor<8x20xf32>) outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  return %p : tensor<1x8x32xf32>
}

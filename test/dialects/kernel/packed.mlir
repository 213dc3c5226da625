// RUN: weir-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @packed
// CHECK: kernel.packed_matmul ins(%{{.*}}, %{{.*}} : tensor<2x64xf32>, tensor<2x1280xi8>) outs(%{{.*}} : tensor<2x40xf32>) -> tensor<2x40xf32> attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
func.func @packed(%a: tensor<2x64xf32>, %w: tensor<2x1280xi8>, %c: tensor<2x40xf32>) -> tensor<2x40xf32> {
  %y = kernel.packed_matmul ins(%a, %w : tensor<2x64xf32>, tensor<2x1280xi8>) outs(%c : tensor<2x40xf32>) -> tensor<2x40xf32> attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<2x40xf32>
}

// -----

func.func @c1_rows(%a: memref<3x64xf32>, %w: memref<2x1280xi8>, %c: memref<2x40xf32>) {
  // expected-error@+1 {{cannot make 'memref<2x40xf32>' of rows of 'memref<3x64xf32>'}}
  kernel.packed_matmul ins(%a, %w : memref<3x64xf32>, memref<2x1280xi8>) outs(%c : memref<2x40xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @c2_panels(%a: memref<2x64xf32>, %w: memref<2x1280xi8>, %c: memref<2x40xf32>) {
  // expected-error@+1 {{cannot multiply 'memref<2x64xf32>' by 'memref<2x1280xi8>'}}
  kernel.packed_matmul ins(%a, %w : memref<2x64xf32>, memref<2x1280xi8>) outs(%c : memref<2x40xf32>) attributes {bits = 8 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

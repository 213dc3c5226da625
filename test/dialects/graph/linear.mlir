// The ops of family Linear are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @cholesky
func.func @cholesky(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK: graph.cholesky %{{.*}} : tensor<3x3xf32>
  %l = graph.cholesky %x : tensor<3x3xf32>
  return %l : tensor<3x3xf32>
}

// CHECK-LABEL: @triangular_solve
func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  // CHECK: graph.triangular_solve %{{.*}}, %{{.*}} lower : tensor<3x3xf32>, tensor<3x2xf32>
  %x = graph.triangular_solve %a, %b lower : tensor<3x3xf32>, tensor<3x2xf32>
  // CHECK: graph.triangular_solve %{{.*}}, %{{.*}} lower adjoint unit :
  %y = graph.triangular_solve %a, %b lower adjoint unit : tensor<3x3xf32>, tensor<3x2xf32>
  return %x, %y : tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @lu
func.func @lu(%x: tensor<5x3x3xf32>) -> (tensor<5x3x3xf32>, tensor<5x3xi32>, tensor<5xf32>) {
  // CHECK: graph.lu %{{.*}} : tensor<5x3x3xf32>
  %lu, %p, %s = graph.lu %x : tensor<5x3x3xf32>
  return %lu, %p, %s : tensor<5x3x3xf32>, tensor<5x3xi32>, tensor<5xf32>
}

// CHECK-LABEL: @qr
func.func @qr(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>) {
  // CHECK: graph.qr %{{.*}} : tensor<4x3xf32>
  %q, %r = graph.qr %x : tensor<4x3xf32>
  return %q, %r : tensor<4x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: @qr_full
func.func @qr_full(%x: tensor<4x3xf64>) -> (tensor<4x4xf64>, tensor<4x3xf64>) {
  // CHECK: graph.qr %{{.*}} full : tensor<4x3xf64>
  %q, %r = graph.qr %x full : tensor<4x3xf64>
  return %q, %r : tensor<4x4xf64>, tensor<4x3xf64>
}

// CHECK-LABEL: @svd
func.func @svd(%x: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>) {
  // CHECK: graph.svd %{{.*}} full : tensor<4x3xf32>
  %s, %u, %v = graph.svd %x full : tensor<4x3xf32>
  return %s, %u, %v : tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: @svd_wide
func.func @svd_wide(%x: tensor<2x3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x5x3xf32>) {
  // CHECK: graph.svd %{{.*}} : tensor<2x3x5xf32>
  %s, %u, %v = graph.svd %x : tensor<2x3x5xf32>
  return %s, %u, %v : tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x5x3xf32>
}

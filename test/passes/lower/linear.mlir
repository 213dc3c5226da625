// Linear algebra becomes loops that update tensors in place.
// RUN: weir-opt %s -split-input-file -weir-lower-graph | FileCheck %s
// RUN: weir-opt %s -split-input-file -weir-lower-graph \
// RUN:   | mlir-opt -split-input-file -one-shot-bufferize="bufferize-function-boundaries" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: @cholesky
// BUFFERS-LABEL: @cholesky
// BUFFERS: scf.for
// BUFFERS-NOT: memref.alloc
func.func @cholesky(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<1x3x3xf32>
  // CHECK-COUNT-4: scf.for
  // CHECK: math.sqrt
  // CHECK: tensor.collapse_shape
  %l = graph.cholesky %x : tensor<3x3xf32>
  return %l : tensor<3x3xf32>
}

// -----

// CHECK-LABEL: @triangular_solve
// BUFFERS-LABEL: @triangular_solve
// BUFFERS: scf.for
// BUFFERS-NOT: memref.alloc
func.func @triangular_solve(%a: tensor<2x3x3xf32>, %b: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
  // CHECK-COUNT-4: scf.for
  // CHECK-NOT: arith.divf
  // CHECK: return
  %x = graph.triangular_solve %a, %b lower unit : tensor<2x3x3xf32>, tensor<2x3x2xf32>
  return %x : tensor<2x3x2xf32>
}

// -----

// CHECK-LABEL: @lu
// BUFFERS-LABEL: @lu
// BUFFERS: scf.for
// BUFFERS-NOT: memref.alloc
func.func @lu(%x: tensor<2x2x3x3xf64>) -> (tensor<2x2x3x3xf64>, tensor<2x2x3xi32>, tensor<2x2xf64>) {
  // CHECK: tensor.collapse_shape %arg0 {{.*}} into tensor<4x3x3xf64>
  // CHECK: arith.cmpf ogt
  // CHECK-DAG: tensor.expand_shape {{.*}} : tensor<4x3x3xf64> into tensor<2x2x3x3xf64>
  // CHECK-DAG: tensor.expand_shape {{.*}} : tensor<4x3xi32> into tensor<2x2x3xi32>
  // CHECK-DAG: tensor.expand_shape {{.*}} : tensor<4xf64> into tensor<2x2xf64>
  %lu, %p, %s = graph.lu %x : tensor<2x2x3x3xf64>
  return %lu, %p, %s : tensor<2x2x3x3xf64>, tensor<2x2x3xi32>, tensor<2x2xf64>
}

// -----

// CHECK-LABEL: @qr
// BUFFERS-LABEL: @qr
// BUFFERS: scf.for
// BUFFERS-NOT: memref.copy
func.func @qr(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>) {
  // CHECK: scf.for
  // CHECK: math.sqrt
  %q, %r = graph.qr %x : tensor<4x3xf32>
  return %q, %r : tensor<4x3xf32>, tensor<3x3xf32>
}

// -----

// CHECK-LABEL: @svd
// BUFFERS-LABEL: @svd
// BUFFERS: scf.for
// BUFFERS-NOT: memref.copy
func.func @svd(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<4x4xf32>) {
  // CHECK: scf.for
  // CHECK: tensor.collapse_shape {{.*}} : tensor<1x3xf32> into tensor<3xf32>
  %s, %u, %v = graph.svd %x full : tensor<3x4xf32>
  return %s, %u, %v : tensor<3xf32>, tensor<3x3xf32>, tensor<4x4xf32>
}

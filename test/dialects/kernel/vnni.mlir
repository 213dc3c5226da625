// RUN: weir-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// Products of unsigned bytes have weights in panels or in the VNNI layout.
// CHECK-LABEL: @panels
// CHECK: kernel.matmul {{.*}} attributes {unsigned_a}
func.func @panels(%a: memref<4x6xi8>, %b: memref<1x6x32xi8>, %c: memref<4x20xi32>) {
  kernel.matmul ins(%a, %b : memref<4x6xi8>, memref<1x6x32xi8>) layout <panels(32)> outs(%c : memref<4x20xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
// CHECK-LABEL: @vnni
// CHECK: kernel.matmul {{.*}} memref<1x2x32x4xi8>
func.func @vnni(%a: memref<4x6xi8>, %b: memref<1x2x32x4xi8>, %c: memref<4x20xi32>) {
  kernel.matmul ins(%a, %b : memref<4x6xi8>, memref<1x2x32x4xi8>) layout <vnni(32)> outs(%c : memref<4x20xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

func.func @matmul_c6_floats(%a: memref<4x6xf32>, %b: memref<1x6x32xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{cannot sum unsigned 'f32' in 'f32'}}
  kernel.matmul ins(%a, %b : memref<4x6xf32>, memref<1x6x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {unsigned_a} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @vnni(%a: memref<4x9xi8>, %b: memref<1x2x32x4xi8>, %c: memref<4x20xi32>) {
  // expected-error@+1 {{has weights of 'memref<1x2x32x4xi8>', but #kernel.layout<vnni(32)> of them is [1, 3, 32, 4]}}
  kernel.matmul ins(%a, %b : memref<4x9xi8>, memref<1x2x32x4xi8>) layout <vnni(32)> outs(%c : memref<4x20xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

func.func @vnni_filter(%x: memref<1x8x6xi8>, %w: memref<1x3x1x32x4xi8>, %y: memref<1x6x20xi32>) {
  // expected-error@+1 {{has weights of 'memref<1x3x1x32x4xi8>', but #kernel.layout<vnni(32)> of them is [1, 3, 2, 32, 4]}}
  kernel.convolution ins(%x, %w : memref<1x8x6xi8>, memref<1x3x1x32x4xi8>) layout <vnni(32)> outs(%y : memref<1x6x20xi32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 1>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

func.func @vnni_rows(%x: memref<1x8x8x65xi8>, %w: memref<1x3x1x64x4xi8>, %y: memref<1x6x6x65xi32>) {
  // expected-error@+1 {{has weights of 'memref<1x3x1x64x4xi8>', but #kernel.layout<vnni_rows(3)> of them is [2, 3, 1, 64, 4]}}
  kernel.depthwise ins(%x, %w : memref<1x8x8x65xi8>, memref<1x3x1x64x4xi8>) layout <vnni_rows(3)> outs(%y : memref<1x6x6x65xi32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

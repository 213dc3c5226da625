// RUN: weir-opt %s -split-input-file --weir-form-packed-products | FileCheck %s

// The 32-bit word n of a panel has the codes of column n, with the first row in its
// lowest bits. The bytes of the model have several codes each.
// CHECK-LABEL: @packs
// CHECK: %[[W:.*]] = graph.constant dense<"0x0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001032547610325476103254761032547610325476103254761032547610325476103254761032547610325476103254761032547610325476103254761032547600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<1x256xi8>
// CHECK: graph.packed_matmul %arg0, %[[W]] columns 16 bits 4 block 8 scales f32 zero 0 : tensor<2x8xf32>, tensor<1x256xi8>
// CHECK-NOT: graph.dequantize
func.func @packs(%x: tensor<2x8xf32>) -> tensor<2x16xf32> {
  %q = graph.constant dense<[[16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118], [16, 50, 84, 118]]> : tensor<16x4xui8>
  %s = graph.constant dense<1.0> : tensor<16x1xf32>
  %w = graph.dequantize %q, %s axis 1 block 8 bits 4 : tensor<16x4xui8>, tensor<16x1xf32> -> tensor<16x8xf32>
  %y = graph.matmul %x, %w transpose_b : tensor<2x8xf32>, tensor<16x8xf32>
  return %y : tensor<2x16xf32>
}

// -----

// Transposes, slices and casts to f16 are between the dequantization and the product.
// Signed codes are shifted above zero with their zero point. Different zero points are
// kept.
// CHECK-LABEL: @between
// CHECK: %[[X:.*]] = graph.cast %arg0 : tensor<2x20xf16> to tensor<2x20xf32>
// CHECK: %[[Y:.*]] = graph.packed_matmul %[[X]], %{{.*}} columns 16 bits 4 block 24 scales f16 zero 8 : tensor<2x20xf32>, tensor<1x448xi8>
// CHECK: graph.cast %[[Y]] : tensor<2x16xf32> to tensor<2x16xf16>
// CHECK: graph.packed_matmul %{{.*}}, %{{.*}} columns 16 bits 4 block 16 scales f32 : tensor<2x32xf32>, tensor<1x832xi8>
// CHECK-NOT: graph.dequantize
func.func @between(%x: tensor<2x20xf16>, %u: tensor<2x32xf32>) -> (tensor<2x16xf16>, tensor<2x16xf32>) {
  %q = graph.constant dense<1> : tensor<16x32xi8>
  %s = graph.constant dense<1.0> : tensor<16x1xf16>
  %w = graph.dequantize %q, %s axis 1 block 32 bits 4 signed : tensor<16x32xi8>, tensor<16x1xf16> -> tensor<16x32xf32>
  %c = graph.slice %w [0, 0] to [16, 20] by [1, 1] : tensor<16x32xf32>
  %t = graph.transpose %c [1, 0] : tensor<16x20xf32>
  %h = graph.cast %t : tensor<20x16xf32> to tensor<20x16xf16>
  %y = graph.matmul %x, %h : tensor<2x20xf16>, tensor<20x16xf16>
  %r = graph.constant dense<1> : tensor<32x8xui8>
  %f = graph.constant dense<1.0> : tensor<2x16xf32>
  %z = graph.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<2x8xui8>
  %d = graph.dequantize %r, %f, %z axis 0 block 16 bits 4 : tensor<32x8xui8>, tensor<2x16xf32>, tensor<2x8xui8> -> tensor<32x16xf32>
  %v = graph.matmul %u, %d : tensor<2x32xf32>, tensor<32x16xf32>
  return %y, %v : tensor<2x16xf16>, tensor<2x16xf32>
}

// -----

// Dequantizations become plain ops in four cases: no right operand of a product, no
// constant, few columns, or blocks of columns.
// CHECK-LABEL: @rest
// CHECK-NOT: packed_matmul
// CHECK-NOT: graph.dequantize
// CHECK: graph.matmul
// CHECK: graph.matmul
// CHECK: graph.matmul
func.func @rest(%x: tensor<2x32xf32>, %q: tensor<32x16xi8>) -> (tensor<2x16xf32>, tensor<2x8xf32>, tensor<2x32xf32>, tensor<32x8xf32>) {
  %s = graph.constant dense<1.0> : tensor<1x16xf32>
  %a = graph.dequantize %q, %s axis 0 block 32 bits 8 signed : tensor<32x16xi8>, tensor<1x16xf32> -> tensor<32x16xf32>
  %ya = graph.matmul %x, %a : tensor<2x32xf32>, tensor<32x16xf32>
  %few = graph.constant dense<1> : tensor<32x4xui8>
  %t = graph.constant dense<1.0> : tensor<1x8xf32>
  %b = graph.dequantize %few, %t axis 0 block 32 bits 4 : tensor<32x4xui8>, tensor<1x8xf32> -> tensor<32x8xf32>
  %yb = graph.matmul %x, %b : tensor<2x32xf32>, tensor<32x8xf32>
  %many = graph.constant dense<1> : tensor<32x16xui8>
  %us = graph.constant dense_resource<scales> : tensor<32x2xf32>
  %c = graph.dequantize %many, %us axis 1 block 16 bits 4 : tensor<32x16xui8>, tensor<32x2xf32> -> tensor<32x32xf32>
  %yc = graph.matmul %x, %c : tensor<2x32xf32>, tensor<32x32xf32>
  return %ya, %yb, %yc, %b : tensor<2x16xf32>, tensor<2x8xf32>, tensor<2x32xf32>, tensor<32x8xf32>
}

// -----

// A GPU has no such kernel.
module attributes {weir.gpu = #weir.gpu<>} {
  // CHECK-LABEL: @gpu
  // CHECK-NOT: packed_matmul
  // CHECK: graph.matmul
  func.func @gpu(%x: tensor<2x8xf32>) -> tensor<2x16xf32> {
    %q = graph.constant dense<17> : tensor<16x4xui8>
    %s = graph.constant dense<1.0> : tensor<16x1xf32>
    %w = graph.dequantize %q, %s axis 1 block 8 bits 4 : tensor<16x4xui8>, tensor<16x1xf32> -> tensor<16x8xf32>
    %y = graph.matmul %x, %w transpose_b : tensor<2x8xf32>, tensor<16x8xf32>
    return %y : tensor<2x16xf32>
  }
}

// -----

// The derivative needs plain ops.
// CHECK-LABEL: @gradient
// CHECK-NOT: packed_matmul
// CHECK: graph.matmul
func.func @gradient(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %q = graph.constant dense<17> : tensor<16x4xui8>
  %s = graph.constant dense<1.0> : tensor<16x1xf32>
  %w = graph.dequantize %q, %s axis 1 block 8 bits 4 : tensor<16x4xui8>, tensor<16x1xf32> -> tensor<16x8xf32>
  %y = graph.matmul %x, %w transpose_b : tensor<2x8xf32>, tensor<16x8xf32>
  %l = graph.reduce_sum %y [0, 1] : tensor<2x16xf32>
  %dx = graph.gradient %l of %x : tensor<f32>, (tensor<2x8xf32>)
  return %dx : tensor<2x8xf32>
}

// -----

// Bytes have a scale and a zero point per column. Signed bytes are moved by 128, and so
// is the zero point.
// CHECK-LABEL: @bytes
// CHECK: graph.packed_matmul %arg0, %{{.*}} columns 16 bits 8 block 4 scales f32 zero 131 : tensor<2x4xf32>, tensor<1x256xi8>
// CHECK-NOT: graph.matmul
func.func @bytes(%x: tensor<2x4xf32>) -> tensor<2x16xf32> {
  %q = graph.constant dense<5> : tensor<4x16xi8>
  %i = graph.cast %q : tensor<4x16xi8> to tensor<4x16xi32>
  %z = graph.constant dense<3> : tensor<16xi32>
  %zs = graph.broadcast %z [1] : tensor<16xi32> to tensor<4x16xi32>
  %d = graph.sub %i, %zs : tensor<4x16xi32>
  %f = graph.cast %d : tensor<4x16xi32> to tensor<4x16xf32>
  %s = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %ss = graph.broadcast %s [1] : tensor<16xf32> to tensor<4x16xf32>
  %w = graph.mul %f, %ss : tensor<4x16xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x16xf32>
  return %y : tensor<2x16xf32>
}

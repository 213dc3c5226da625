// The ops of family Packed are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @dequantize
func.func @dequantize(%q: tensor<64x3xui8>, %s: tensor<2x6xf32>, %z: tensor<2x3xui8>) -> tensor<64x6xf32> {
  // CHECK: graph.dequantize %{{.*}}, %{{.*}}, %{{.*}} axis 0 block 32 bits 4 : tensor<64x3xui8>, tensor<2x6xf32>, tensor<2x3xui8> -> tensor<64x6xf32>
  %w = graph.dequantize %q, %s, %z axis 0 block 32 bits 4 : tensor<64x3xui8>, tensor<2x6xf32>, tensor<2x3xui8> -> tensor<64x6xf32>
  return %w : tensor<64x6xf32>
}

// Each code is a signed byte, in one block that is longer than the axis.
// CHECK-LABEL: @dequantize_bytes
func.func @dequantize_bytes(%q: tensor<5x6xi8>, %s: tensor<1x6xf16>) -> tensor<5x6xf32> {
  // CHECK: graph.dequantize %{{.*}}, %{{.*}} axis 0 block 8 bits 4 signed : tensor<5x6xi8>, tensor<1x6xf16> -> tensor<5x6xf32>
  %w = graph.dequantize %q, %s axis 0 block 8 bits 4 signed : tensor<5x6xi8>, tensor<1x6xf16> -> tensor<5x6xf32>
  return %w : tensor<5x6xf32>
}

// CHECK-LABEL: @packed_matmul
func.func @packed_matmul(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) -> tensor<2x40xf32> {
  // CHECK: graph.packed_matmul %{{.*}}, %{{.*}} columns 40 bits 4 block 32 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  return %y : tensor<2x40xf32>
}

// The zero points are bytes between the scales and the codes.
// CHECK-LABEL: @packed_zeros
func.func @packed_zeros(%x: tensor<2x64xf32>, %w: tensor<2x1216xi8>) -> tensor<2x40xf32> {
  // CHECK: graph.packed_matmul %{{.*}}, %{{.*}} columns 40 bits 4 block 32 scales f16 : tensor<2x64xf32>, tensor<2x1216xi8>
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f16 : tensor<2x64xf32>, tensor<2x1216xi8>
  return %y : tensor<2x40xf32>
}

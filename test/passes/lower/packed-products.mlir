// Products with few-bit weights become kernels.
// RUN: weir-opt %s -weir-lower-graph | FileCheck %s

// CHECK-LABEL: @packed
// CHECK: kernel.packed_matmul ins(%arg0, %arg1 : tensor<2x64xf32>, tensor<2x1280xi8>) outs(%{{.*}} : tensor<2x40xf32>) -> tensor<2x40xf32> attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
// CHECK: kernel.yield %{{.*}} : f32
func.func @packed(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) -> tensor<2x40xf32> {
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  return %y : tensor<2x40xf32>
}

// RUN: weir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The destination is written in place and never read: no copies.
// CHECK-LABEL: func @matmul
// CHECK: %[[PACKED:.*]] = memref.alloc() {{.*}} : memref<1x8x32xf32>
// CHECK: kernel.pack ins(%{{.*}} : memref<8x20xf32>) layout <panels(32)> outs(%[[PACKED]] : memref<1x8x32xf32>)
// CHECK: %[[OUT:.*]] = memref.alloc() {{.*}} : memref<4x20xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[PACKED]] : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> extras(%{{.*}} : memref<4x20xf32>) outs(%[[OUT]] : memref<4x20xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @matmul(%a: tensor<4x8xf32> {bufferization.writable = false}, %b: tensor<8x20xf32> {bufferization.writable = false}, %r: tensor<4x20xf32> {bufferization.writable = false}) -> tensor<4x20xf32> {
  %e = tensor.empty() : tensor<1x8x32xf32>
  %p = kernel.pack ins(%b : tensor<8x20xf32>) layout <panels(32)> outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %c = tensor.empty() : tensor<4x20xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x8xf32>, tensor<1x8x32xf32>) layout <panels(32)> extras(%r : tensor<4x20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %e1: f32):
    %v = arith.addf %sum, %e1 : f32
    kernel.yield %v : f32
  }
  return %y : tensor<4x20xf32>
}

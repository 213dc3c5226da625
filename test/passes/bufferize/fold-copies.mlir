// RUN: weir-opt %s -split-input-file -weir-fold-copies | FileCheck %s

// A product and a packing op read rows in place, and a product writes its result in
// place.
// CHECK-LABEL: func @heads
// CHECK-SAME: (%[[Q:.*]]: memref<8x2x64xf32>, %[[K:.*]]: memref<8x2x64xf32>, %[[W:.*]]: memref<2x1x64x32xf32>, %[[Y:.*]]: memref<8x2x8xf32>)
// CHECK-DAG: %[[A:.*]] = memref.reinterpret_cast %[[Q]] to offset: [0], sizes: [2, 8, 64], strides: [64, 128, 1]
// CHECK-DAG: %[[B:.*]] = memref.reinterpret_cast %[[K]] to offset: [0], sizes: [2, 8, 64], strides: [64, 128, 1]
// CHECK-DAG: %[[C:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [2, 8, 8], strides: [8, 16, 1]
// CHECK-NOT: linalg
// CHECK: kernel.pack ins(%[[B]] :
// CHECK-NOT: linalg
// CHECK: kernel.matmul ins(%[[A]], {{.*}} outs(%[[C]] :
// CHECK-NOT: linalg
// CHECK: return
func.func @heads(%q: memref<8x2x64xf32>, %k: memref<8x2x64xf32>, %w: memref<2x1x64x32xf32>, %y: memref<8x2x8xf32>) attributes {weir.kernel} {
  %a = memref.alloc() : memref<2x8x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : memref<8x2x64xf32>) outs(%a : memref<2x8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %b = memref.alloc() : memref<2x8x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : memref<8x2x64xf32>) outs(%b : memref<2x8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  kernel.pack ins(%b : memref<2x8x64xf32>) layout <panels(32)> outs(%w : memref<2x1x64x32xf32>) {transpose_b}
  %c = memref.alloc() : memref<2x8x8xf32>
  kernel.matmul ins(%a, %w : memref<2x8x64xf32>, memref<2x1x64x32xf32>) layout <panels(32)> outs(%c : memref<2x8x8xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : memref<2x8x8xf32>) outs(%y : memref<8x2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// These copies stay: one that computes, one that moves elements within rows, one with
// another user, and one whose source changes.
// CHECK-LABEL: func @copies
// CHECK-NOT: memref.reinterpret_cast
// CHECK-COUNT-4: linalg.generic
func.func @copies(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %z: memref<8x8xf32>, %c: memref<8x8xf32>) attributes {weir.kernel} {
  %a = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  %b = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  kernel.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%z : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

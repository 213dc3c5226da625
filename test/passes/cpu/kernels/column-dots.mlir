// Dot products obey their schedule.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Tiles of two rows by one column: four tiles, with a sum for each row, and two vectors of
// the depth in one iteration.
// CHECK-LABEL: func @tiles
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK-COUNT-4: vector.fma
// CHECK-NOT: vector.fma
func.func @tiles(%a: memref<4x32xf32>, %b: memref<2x32x1xf32>, %c: memref<4x2xf32>) {
  kernel.matmul ins(%a, %b : memref<4x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<4x2xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 2>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// Four tiles are work items. Chains of two vectors spill their sums.
// CHECK-LABEL: func @shared
// CHECK: kernel.parallel 4 {
// CHECK: memref.alloca() {{.*}}: memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c2 to %c6 step %c2
func.func @shared(%a: memref<4x128xf32>, %b: memref<2x128x1xf32>, %c: memref<4x2xf32>) {
  kernel.matmul ins(%a, %b : memref<4x128xf32>, memref<2x128x1xf32>) layout <k_major> outs(%c : memref<4x2xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 2, chain = 2, share = tiles>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

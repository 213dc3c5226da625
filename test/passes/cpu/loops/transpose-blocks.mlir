// RUN: weir-opt %s -split-input-file --weir-vectorize-loops -canonicalize -cse | FileCheck %s

// Register transpose blocks write their rows to cache lines that share one set of L1.

#turned = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// The rows are 8 KB apart. Some blocks are stored to a tile first. The loop over rows
// is outside, so that the lines of a row are written one after another.
// CHECK-LABEL: func @colliding
// CHECK: %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x64xf32>
// CHECK: scf.for %[[TOP:.*]] = %c0 to %c48 step %c16
// CHECK-NEXT: scf.for %[[I:.*]] = %c0 to %c32 step %c1
// CHECK: vector.load %arg0[%[[I]], %{{.*}}, %[[TOP]]]
// CHECK: vector.store %{{.*}}, %[[TILE]][%c0, %{{.*}}]
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c1
// CHECK: %[[ROW:.*]] = arith.addi %[[TOP]], %[[K]]
// CHECK: vector.load %[[TILE]][%[[K]], %c0]
// CHECK: vector.store %{{.*}}, %arg1[%[[ROW]], %[[I]], %c0]
// CHECK: vector.store %{{.*}}, %arg1[%[[ROW]], %[[I]], %c16]
module attributes {weir.target = #weir.target<l1 = 49152>} {
  func.func @colliding(%x: memref<32x64x48xf32>, %y: memref<48x32x64xf32>) {
    linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<32x64x48xf32>) outs(%y : memref<48x32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}

// -----

#turned = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// If rows do not share sets of L1, each block is written at once.
// CHECK-LABEL: func @apart
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[I:.*]] = %c0 to %c33 step %c1
// CHECK-NEXT: scf.for %[[TOP:.*]] = %c0 to %c48 step %c16
// CHECK: vector.store %{{.*}}, %arg1[%[[TOP]], %[[I]], %{{.*}}]
module attributes {weir.target = #weir.target<l1 = 49152>} {
  func.func @apart(%x: memref<33x64x48xf32>, %y: memref<48x33x64xf32>) {
    linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<33x64x48xf32>) outs(%y : memref<48x33x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    return
  }
}

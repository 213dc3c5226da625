// RUN: weir-opt %s --split-input-file --weir-share-loops --canonicalize | FileCheck %s

// The rows have much work: a work item has some rows, and its size divides their
// number.
// CHECK-LABEL: func.func private @rows
// CHECK: kernel.parallel 128 {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c8
// CHECK: %[[X:.*]] = memref.subview %arg0[%[[ROW]], 0] [8, 256] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %arg1[%[[ROW]]] [8] [1]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK-NOT: linalg.generic
func.func private @rows(%x: memref<1024x256xf64>, %y: memref<1024xf64>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1024x256xf64>) outs(%y : memref<1024xf64>) {
  ^bb0(%in: f64, %out: f64):
    %e = math.exp %in : f64
    %s = arith.addf %e, %out : f64
    linalg.yield %s : f64
  }
  return
}

// -----

// A work item of one dimension has whole vectors, and the last one is smaller.
// CHECK-LABEL: func.func private @vector
// CHECK: kernel.parallel {{[0-9]+}} {
// CHECK: scf.for
// CHECK: memref.subview %arg0[%{{.*}}] [7936] [1]
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: memref.subview %arg0[999936] [67] [1]
// CHECK: linalg.generic
func.func private @vector(%x: memref<1000003xf32>, %y: memref<1000003xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<1000003xf32>) outs(%y : memref<1000003xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// An index counts from the beginning of the whole loop.
// CHECK-LABEL: func.func private @index
// CHECK: kernel.parallel
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: affine.apply #{{.*}}(%[[I]], %{{.*}})
func.func private @index(%y: memref<65536x16xi64>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<65536x16xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  }
  return
}

// -----

// A loop with little work stays on one thread, and so does one long sum.
// CHECK-LABEL: func.func private @little
// CHECK-NOT: kernel.parallel
// CHECK: arith.addf
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @little(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<1048576xf32>, %s: memref<f32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%z : memref<1048576xf32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// Two work items along the rows would write the same element, because the result has no
// index for rows. So the columns are shared.
// CHECK-LABEL: func.func private @overlap
// CHECK: kernel.parallel
// CHECK: memref.subview %arg1[0, %{{.*}}]
func.func private @overlap(%x: memref<300x4096xf64>, %y: memref<1x4096xf64>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<300x4096xf64>) outs(%y : memref<1x4096xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  }
  return
}

// -----

// A work item of a transpose has whole register transpose blocks.
// CHECK-LABEL: func.func private @transposed
// CHECK: kernel.parallel 32 {
// CHECK: memref.subview %arg0[0, %{{.*}}] [512, 16]
func.func private @transposed(%x: memref<512x512xf32>, %y: memref<512x512xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<512x512xf32>) outs(%y : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// The work items are the blocks of rows of the kernel's row-wise group, even if there
// is little work. If a loop over the rows is elsewhere, other loops are shared as
// usual.
// CHECK-LABEL: func.func private @row_blocks
// CHECK: kernel.parallel 4 row_wise {
// CHECK: memref.subview %{{.*}} [1, 16, 8] [1, 1, 1]
// CHECK: linalg.generic
// CHECK-NOT: kernel.parallel
// CHECK: linalg.generic
func.func private @row_blocks(%x: memref<1x64x8xf32>, %y: memref<1x64x8xf32>, %t: memref<1x8x64xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 16>} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<1x64x8xf32>) outs(%y : memref<1x64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2, d1)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<1x64x8xf32>) outs(%t : memref<1x8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// One thread sums rows in memory order; several threads each have their own columns.
// CHECK-LABEL: func.func private @columns
// CHECK-NOT: kernel.parallel
// CHECK: linalg.generic
func.func private @columns(%x: memref<1024x1024xf32>, %y: memref<1024xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func private @columns_of_two
// CHECK: kernel.parallel 4 {
// CHECK: memref.subview %arg0[0, %{{.*}}] [1024, 256]
module attributes {weir.slots = 2} {
func.func private @columns_of_two(%x: memref<1024x1024xf32>, %y: memref<1024xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  }
  return
}
}

// -----

// A transposing op is divided along images and their rows, and not along the contiguous
// dimensions of its input or output. So a thread keeps the rows of the ops before it.
// CHECK-LABEL: func @transposed
// CHECK: kernel.parallel 28 {
// CHECK-DAG: %[[IMAGE:.*]] = arith.divui %{{.*}}, %c14
// CHECK-DAG: %[[BLOCK:.*]] = arith.remui %{{.*}}, %c14
// CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]], %c4
// CHECK: memref.subview %arg0[%[[IMAGE]], %[[ROW]], 0, 0] [1, 4, 56, 64]
// CHECK: memref.subview %arg1[%[[IMAGE]], 0, %[[ROW]], 0] [1, 64, 4, 56]
func.func @transposed(%x: memref<2x56x56x64xf32>, %y: memref<2x64x56x56xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<2x56x56x64xf32>) outs(%y : memref<2x64x56x56xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

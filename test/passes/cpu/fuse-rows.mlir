// RUN: weir-opt %s -split-input-file -weir-fuse-rows -canonicalize -cse | FileCheck %s

// A maximum and the ops that use it run for a few rows at a time. Their maxima have a
// small buffer.
// CHECK-LABEL: func @softened
// CHECK-SAME: (%[[X:.*]]: memref<64x1024xf32>, %[[Y:.*]]: memref<64x1024xf32>)
// CHECK: %[[FEW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xf32>
// CHECK: scf.for
// CHECK: linalg.fill {{.*}} outs(%[[FEW]] : memref<2xf32>)
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]]{{.*}} [2, 1024]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : {{.*}}) outs(%[[FEW]] : memref<2xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[FEW]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @softened(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) attributes {weir.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<64xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x1024xf32>) outs(%max : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %max : memref<64x1024xf32>, memref<64xf32>) outs(%y : memref<64x1024xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Threads share much work as blocks of rows. Rows may have several dimensions, and the
// last block has fewer rows.
// CHECK-LABEL: func @shared
// CHECK: kernel.parallel
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x6xf32>
// CHECK: scf.for
// CHECK: %[[WHOLE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[WHOLE]]
// CHECK: memref.subview {{.*}} [1, 6, 1000]
// CHECK: else
// CHECK: memref.subview {{.*}} [1, 1, 1000]
module attributes {weir.target = #weir.target<l2 = 2097152>} {
func.func @shared(%x: memref<8x97x1000xf32>, %y: memref<8x97xf32>) attributes {weir.kernel} {
  %sum = memref.alloc() : memref<8x97xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<8x97x1000xf32>) outs(%sum : memref<8x97xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %sum : memref<8x97x1000xf32>, memref<8x97xf32>) outs(%y : memref<8x97xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
}

// -----

// If L2 does not hold the rows twice, the kernel computes few rows at a time.
// CHECK-LABEL: func @streamed
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1xf32>
// CHECK: memref.subview {{.*}} [1, 1024]
func.func @streamed(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>) attributes {weir.kernel} {
  %sum = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<512x1024xf32>) outs(%sum : memref<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : memref<512x1024xf32>, memref<512xf32>) outs(%y : memref<512x1024xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// An op that reads other rows than its own is not fused. Sums of columns have no rows,
// and a single op stays alone.
// CHECK-LABEL: func @apart
// CHECK-NOT: scf.for
// CHECK-COUNT-4: linalg.generic
func.func @apart(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64xf32>) attributes {weir.kernel} {
  %sum = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%y : memref<64x64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%z : memref<64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// Two views of a buffer count as one buffer.
// CHECK-LABEL: func @alias
// CHECK-NOT: scf.for
// CHECK-COUNT-2: linalg.generic
func.func @alias(%x: memref<64x64xf32>, %both: memref<4160xf32>) attributes {weir.kernel} {
  %sum = memref.reinterpret_cast %both to offset: [0], sizes: [64], strides: [1] : memref<4160xf32> to memref<64xf32>
  %y = memref.reinterpret_cast %both to offset: [0], sizes: [64, 64], strides: [64, 1] : memref<4160xf32> to memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// The work items are the blocks of rows of the kernel's row-wise group, even if there
// is little work.
// CHECK-LABEL: func @row_blocks
// CHECK: kernel.parallel 4 row_wise {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %{{.*}}: index, %{{.*}}: index):
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to
// CHECK: memref.subview {{.*}} [16, 64]
// CHECK-NOT: kernel.parallel
func.func @row_blocks(%x: memref<64x64xf32>, %y: memref<64x64xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 16>} {
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<64xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32>) outs(%max : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %max : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// For rows of two dimensions, a work item has several rows of the inner dimension. The
// size of a block divides both dimensions.
// CHECK-LABEL: func @two_dimensions
// CHECK: kernel.parallel 6 row_wise {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x3xf32>
// CHECK: memref.subview {{.*}} [1, 3, 64]
// CHECK-NOT: kernel.parallel
func.func @two_dimensions(%x: memref<32x9x64xf32>, %y: memref<32x9x64xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 288, size = 48>} {
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<32x9xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<32x9xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<32x9x64xf32>) outs(%max : memref<32x9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : memref<32x9x64xf32>, memref<32x9xf32>) outs(%y : memref<32x9x64xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  }
  return
}

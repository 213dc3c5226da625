// RUN: weir-opt %s -split-input-file --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Rows split evenly (30 = 3 * 10), the last columns masked, the bias read once
// a panel, and the epilogue on vectors.
// CHECK-LABEL: func @matmul
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args
// CHECK: memref.prefetch
// CHECK: vector.load %{{.*}} : memref<2x40x32xf32>, vector<16xf32>
// CHECK: vector.fma
// CHECK: vector.load %{{.*}} : memref<50xf32>, vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: arith.maximumf %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: vector.maskedload %{{.*}} : memref<50xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: kernel
func.func @matmul(%a: memref<30x40xf32>, %b: memref<2x40x32xf32>, %bias: memref<50xf32>, %c: memref<30x50xf32>) {
  kernel.matmul ins(%a, %b : memref<30x40xf32>, memref<2x40x32xf32>) extras(%bias : memref<50xf32>) outs(%c : memref<30x50xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %zero = arith.constant 0.0 : f32
    %v = arith.addf %sum, %e : f32
    %r = arith.maximumf %v, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// -----

// Of many columns each product of a batch is made by blocks of 16, which threads
// share; the last block has two.
// CHECK-LABEL: func @blocks_of_row_dots
// CHECK: kernel.parts 9 {
// CHECK: %[[BLOCK:.*]] = arith.remui %{{.*}}, %c3
// CHECK: %[[BATCH:.*]] = arith.divui %{{.*}}, %c3
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c16
// CHECK: scf.if
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c15
// CHECK: vector.load %{{.*}}[%[[BATCH]], %[[LAST]], %{{.*}}]
// CHECK: } else {
// CHECK: vector.maskedstore
func.func @blocks_of_row_dots(%a: memref<3x1x6400xf32>, %b: memref<3x34x6400x1xf32>, %c: memref<3x1x34xf32>) {
  kernel.matmul ins(%a, %b : memref<3x1x6400xf32>, memref<3x34x6400x1xf32>) outs(%c : memref<3x1x34xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A row reads a plain matrix as runs of 16 vectors, and where L2 does not hold it
// few rows at a time, so that these are streams; sums wait in the result, in chains
// that are no longer than others.
// CHECK-LABEL: func @row_by_plain
// CHECK: scf.for %{{.*}} = %c0 to %c510 step %c6
// CHECK: scf.for %{{.*}} to %{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1
// CHECK: %[[SUMS:.*]]:16 = scf.if
// CHECK: vector.store %[[SUMS]]#15
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 1 : i64}} {
  func.func @row_by_plain(%a: memref<1x512xf32>, %b: memref<512x2048xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x512xf32>, memref<512x2048xf32>) outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A row and columns that are runs: vectors are pieces of the depth, and the two
// sums come out of theirs by halves.
// CHECK-LABEL: func @row_dots
// CHECK: %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : memref<2x130x1xf32> into memref<2x130xf32>
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.load %arg0[%c0, %{{.*}}] : memref<1x130xf32>, vector<16xf32>
// CHECK: %[[W:.*]] = vector.load %[[B]][%c0, %{{.*}}]
// CHECK: vector.fma %[[X]], %[[W]]
// CHECK: vector.load %[[B]][%c1, %{{.*}}]
// CHECK: vector.maskedload %arg0[%c0, %c128]
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK-COUNT-4: arith.addf
// CHECK: vector.maskedstore
// CHECK-NOT: kernel
func.func @row_dots(%a: memref<1x130xf32>, %b: memref<2x130x1xf32>, %c: memref<1x2xf32>) {
  kernel.matmul ins(%a, %b : memref<1x130xf32>, memref<2x130x1xf32>) outs(%c : memref<1x2xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Several rows: 16 rows' sums at a time, each the sum of a vector's lanes, go
// through the epilogue as short vectors; of 33 rows a tile has 11.
// CHECK-LABEL: func @rows_by_column_runs
// CHECK: scf.for {{.*}} %c3
// CHECK: vector.load %arg0
// CHECK: %[[W:.*]] = vector.load %{{.*}}[%c0, %{{.*}}]
// CHECK-COUNT-11: vector.fma %{{.*}}, %[[W]], %{{.*}} : vector<16xf32>
// CHECK: vector.maskedload %{{.*}} : memref<1x40xf32>
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK: vector.shuffle {{.*}} [10, 11, 12, 13] : vector<16xf32>
// CHECK: math.exp %{{.*}} : vector<4xf32>
// CHECK-NOT: kernel
func.func @rows_by_column_runs(%a: memref<33x40xf32>, %b: memref<1x40x1xf32>, %c: memref<33x1xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<1x40x1xf32>) outs(%c : memref<33x1xf32>) {
  ^bb0(%sum: f32):
    %e = math.exp %sum : f32
    kernel.yield %e : f32
  }
  return
}

// -----

// Windows by filters that are runs: each pixel of a tile is loaded once for all
// columns of the window, of which those outside are left out; rows outside bound
// the loop over the window.
// CHECK-LABEL: func @window_dots
// CHECK: memref.collapse_shape %arg1 {{.*}} into memref<2x3x3x32xf32>
// CHECK: scf.for %[[Y:.*]] = %c0 to %c9
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK-COUNT-14: vector.fma %{{.*}} : vector<16xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: kernel
func.func @window_dots(%x: memref<1x9x3x32xf32>, %w: memref<2x3x3x32x1xf32>, %y: memref<1x9x3x2xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x3x32xf32>, memref<2x3x3x32x1xf32>) outs(%y : memref<1x9x3x2xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Taps of one step of a row are more than a chain of additions: each step is one
// by itself, and rows are added up.
// CHECK-LABEL: func @long_rows
// CHECK-COUNT-170: vector.fma
// CHECK: arith.addf
// CHECK-NOT: kernel
func.func @long_rows(%x: memref<1x170x16xf32>, %w: memref<1x170x16x1xf32>, %y: memref<1x1x1xf32>) {
  kernel.convolution ins(%x, %w : memref<1x170x16xf32>, memref<1x170x16x1xf32>) outs(%y : memref<1x1x1xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Threads share the tiles of a line, of a direct sum, whose copy they make by
// pieces, and of dot products.
// CHECK-LABEL: func @lines
// CHECK: kernel.parts 16 {
// CHECK: kernel.parts 286 {
// CHECK: kernel.parts 500 {
module attributes {weir.slots = 2 : i64} {
  func.func @lines(%x: memref<1x4000x16xf32>, %w: memref<1x3x16x32xf32>, %y: memref<1x4000x32xf32>, %v: memref<2x3x16x1xf32>, %z: memref<1x4000x2xf32>) {
    kernel.convolution ins(%x, %w : memref<1x4000x16xf32>, memref<1x3x16x32xf32>) outs(%y : memref<1x4000x32xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 1>, strides = array<i64: 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    kernel.convolution ins(%x, %v : memref<1x4000x16xf32>, memref<2x3x16x1xf32>) outs(%z : memref<1x4000x2xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 1>, strides = array<i64: 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// One row: four sets of sums take turns.
// CHECK-LABEL: func @row
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-16: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-6: arith.addf
// CHECK: vector.store
func.func @row(%a: memref<1x64xf32>, %b: memref<4x64x32xf32>, %c: memref<1x128xf32>) {
  kernel.matmul ins(%a, %b : memref<1x64xf32>, memref<4x64x32xf32>) outs(%c : memref<1x128xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Half precision is summed in single.
// CHECK-LABEL: func @half
// CHECK: vector.fma %{{.*}} : vector<16xf32>
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
func.func @half(%a: memref<4x8xf16>, %b: memref<8x16xf16>, %c: memref<4x16xf16>) {
  kernel.matmul ins(%a, %b : memref<4x8xf16>, memref<8x16xf16>) outs(%c : memref<4x16xf16>) {
  ^bb0(%sum: f32):
    %v = arith.truncf %sum : f32 to f16
    kernel.yield %v : f16
  }
  return
}

// -----

// The target decides the width of vectors.
module attributes {weir.target = {vector_bits = 256 : i64}} {
  // CHECK-LABEL: func @narrow
  // CHECK: vector.fma %{{.*}} : vector<4xf64>
  func.func @narrow(%a: memref<4x8xf64>, %b: memref<8x16xf64>, %c: memref<4x16xf64>) {
    kernel.matmul ins(%a, %b : memref<4x8xf64>, memref<8x16xf64>) outs(%c : memref<4x16xf64>) {
    ^bb0(%sum: f64):
      kernel.yield %sum : f64
    }
    return
  }
}

// -----

// A costly epilogue is a loop over the tile, whose sums wait on the stack.
// CHECK-LABEL: func @costly
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: scf.for
// CHECK-COUNT-12: math.exp %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK-NOT: math.exp
// CHECK: return
func.func @costly(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x32xf32>) {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) outs(%c : memref<4x32xf32>) {
  ^bb0(%sum: f32):
    %u = math.exp %sum : f32
    %v = math.exp %u : f32
    %w = math.exp %v : f32
    kernel.yield %w : f32
  }
  return
}

// -----

// A product of few rows packs a part of a panel where it uses it, at most as
// deep as half of L1 holds, and nothing else is allocated. Sums wait in the
// result between parts.
// CHECK-LABEL: func @pack_inside
// CHECK-NOT: memref.alloc()
// CHECK: %[[PART:.*]] = memref.alloca() {{.*}} : memref<104x32xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %arg1
// CHECK: vector.store %{{.*}}, %[[PART]]
// CHECK: scf.for
// CHECK: vector.load %[[PART]]
// CHECK: vector.fma
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: vector.store %{{.*}}, %[[TILE]]
// CHECK: vector.store %{{.*}}, %[[PART]]
// CHECK: vector.fma
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: vector.load %[[TILE]]
func.func @pack_inside(%a: memref<32x200xf32>, %b: memref<200x64xf32>, %c: memref<32x64xf32>) {
  %p = memref.alloc() : memref<2x200x32xf32>
  kernel.pack ins(%b : memref<200x64xf32>) outs(%p : memref<2x200x32xf32>)
  kernel.matmul ins(%a, %p : memref<32x200xf32>, memref<2x200x32xf32>) outs(%c : memref<32x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// So does one of a single tile of rows: its part is no deeper.
// CHECK-LABEL: func @pack_inside_few_rows
// CHECK: memref.alloca() {{.*}} : memref<128x32xf32>
// CHECK-NOT: memref.alloca() {{.*}} : memref<4096x32xf32>
// CHECK: return
func.func @pack_inside_few_rows(%a: memref<4x4096xf32>, %b: memref<64x4096xf32>, %c: memref<4x64xf32>) {
  %p = memref.alloc() : memref<2x4096x32xf32>
  kernel.pack ins(%b : memref<64x4096xf32>) outs(%p : memref<2x4096x32xf32>) {transpose_b}
  kernel.matmul ins(%a, %p : memref<4x4096xf32>, memref<2x4096x32xf32>) outs(%c : memref<4x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// What is packed changes before the product, which then needs the whole.
// CHECK-LABEL: func @pack_before
// CHECK: memref.alloc() {{.*}}memref<2x200x32xf32>
func.func @pack_before(%a: memref<32x200xf32>, %b: memref<200x64xf32>, %c: memref<32x64xf32>, %x: f32) {
  %0 = arith.constant 0 : index
  %p = memref.alloc() : memref<2x200x32xf32>
  kernel.pack ins(%b : memref<200x64xf32>) outs(%p : memref<2x200x32xf32>)
  memref.store %x, %b[%0, %0] : memref<200x64xf32>
  kernel.matmul ins(%a, %p : memref<32x200xf32>, memref<2x200x32xf32>) outs(%c : memref<32x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The part of a panel past the last column is zero.
// CHECK-LABEL: func @pack
// CHECK: scf.for
// CHECK: vector.maskedload
// CHECK: vector.store
func.func @pack(%b: memref<8x20xf32>, %p: memref<1x8x32xf32>) {
  kernel.pack ins(%b : memref<8x20xf32>) outs(%p : memref<1x8x32xf32>)
  return
}

// -----

// Lines become columns in registers; what is left, one by one.
// CHECK-LABEL: func @pack_transposed
// CHECK: scf.for
// CHECK-COUNT-16: vector.load %{{.*}} : memref<50x40xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}} : memref<2x40x32xf32>
// CHECK: memref.store
func.func @pack_transposed(%b: memref<50x40xf32>, %p: memref<2x40x32xf32>) {
  kernel.pack ins(%b : memref<50x40xf32>) outs(%p : memref<2x40x32xf32>) {transpose_b}
  return
}

// -----

// Truth values are bytes: no vector of bits is stored.
// CHECK-LABEL: func @truth
// CHECK: arith.cmpf olt, %{{.*}} : vector<16xf32>
// CHECK: vector.extract %{{.*}}[0] : i1 from vector<16xi1>
// CHECK: memref.store %{{.*}} : memref<1x3xi1>
// CHECK-NOT: vector.store
// CHECK: return
func.func @truth(%a: memref<1x8xf32>, %b: memref<8x3xf32>, %c: memref<1x3xi1>) {
  kernel.matmul ins(%a, %b : memref<1x8xf32>, memref<8x3xf32>) outs(%c : memref<1x3xi1>) {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %v = arith.cmpf olt, %sum, %zero : f32
    kernel.yield %v : i1
  }
  return
}

// -----

// Batches that share the right side are rows of one product.
// CHECK-LABEL: func @shared
// CHECK-DAG: memref.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : memref<2x7x8xf32> into memref<14x8xf32>
// CHECK-DAG: memref.collapse_shape %arg3 {{\[\[}}0, 1], [2]] : memref<2x7x16xf32> into memref<14x16xf32>
// CHECK: vector.load %arg2[%c0] : memref<16xf32>
func.func @shared(%a: memref<2x7x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<16xf32>, %c: memref<2x7x16xf32>) {
  kernel.matmul ins(%a, %b : memref<2x7x8xf32>, memref<1x8x16xf32>) extras(%bias : memref<16xf32>) outs(%c : memref<2x7x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2) -> (d2)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// The same of an image, whose bias stays behind along its one batch.
// CHECK-LABEL: func @shared_image
// CHECK-DAG: memref.collapse_shape %arg0 {{.*}} : memref<1x3x4x8xf32> into memref<12x8xf32>
// CHECK-DAG: memref.collapse_shape %arg3 {{.*}} : memref<1x3x4x16xf32> into memref<12x16xf32>
// CHECK: vector.load %arg2[%c0, %c0, %c0, %c0] : memref<1x1x1x16xf32>
func.func @shared_image(%a: memref<1x3x4x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<1x1x1x16xf32>, %c: memref<1x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<1x3x4x8xf32>, memref<1x8x16xf32>) extras(%bias : memref<1x1x1x16xf32>) outs(%c : memref<1x3x4x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// Every other pixel is copied first, so that all rows are one product's.
// CHECK-LABEL: func @shared_pixels
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x3x4x8xf32>
// CHECK: memref.copy %arg0, %[[ROWS]]
// CHECK-DAG: memref.collapse_shape %[[ROWS]] {{.*}} : memref<1x3x4x8xf32> into memref<12x8xf32>
// CHECK-DAG: memref.collapse_shape %arg2 {{.*}} : memref<1x3x4x16xf32> into memref<12x16xf32>
func.func @shared_pixels(%a: memref<1x3x4x8xf32, strided<[384, 128, 16, 1]>>, %b: memref<1x8x16xf32>, %c: memref<1x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<1x3x4x8xf32, strided<[384, 128, 16, 1]>>, memref<1x8x16xf32>) outs(%c : memref<1x3x4x16xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Not where images have a bias each.
// CHECK-LABEL: func @apart
// CHECK-NOT: memref.collapse_shape %arg0
// CHECK: return
func.func @apart(%a: memref<2x3x4x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<2x1x1x16xf32>, %c: memref<2x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<2x3x4x8xf32>, memref<1x8x16xf32>) extras(%bias : memref<2x1x1x16xf32>) outs(%c : memref<2x3x4x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// A padded image is copied into a border of zeros; a row of the window, three
// pixels of four channels, is one run.
// CHECK-LABEL: func @convolution
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<10x10x4xf32>
// CHECK-DAG: memref.collapse_shape %[[COPY]] {{\[\[}}0], [1, 2]] : memref<10x10x4xf32> into memref<10x40xf32>
// CHECK-DAG: memref.collapse_shape %arg1 {{.*}} : memref<1x3x3x4x32xf32> into memref<1x3x12x32xf32>
// CHECK: scf.for %{{.*}} iter_args
// CHECK: scf.for %{{.*}} iter_args
// CHECK: vector.fma
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: vector.maskedstore %[[TILE]]
func.func @convolution(%x: memref<1x8x8x4xf32>, %w: memref<1x3x3x4x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<1x3x3x4x32xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Taps that all results of a tile have outside are left out: those of the first
// and the last row of the window where dilations are as large as the image, so
// that x is read as it is.
// CHECK-LABEL: func @convolution_all_outside
// CHECK-NOT: memref.alloc
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: vector.fma
// CHECK: return
func.func @convolution_all_outside(%x: memref<1x8x8x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x40xf32>, memref<1x3x3x40x32xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 8, 8>, groups = 1 : i64, padding = array<i64: 8, 8>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Of rows that only some tiles have outside, each tile's loop has bounds of its
// own, and the copy no rows above or below the image.
// CHECK-LABEL: func @convolution_some_outside
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<24x32x40xf32>
// CHECK: arith.minsi %{{.*}}, %c3
// CHECK: scf.for %{{.*}} = %{{[0-9]+}} to %{{[0-9]+}} step %c1 iter_args
func.func @convolution_some_outside(%x: memref<1x24x24x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x24x24x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x24x24x40xf32>, memref<1x3x3x40x32xf32>) outs(%y : memref<1x24x24x20xf32>) attributes {dilations = array<i64: 4, 4>, groups = 1 : i64, padding = array<i64: 4, 4>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Of a large image few tiles have rows outside: all have those of a border.
// CHECK-LABEL: func @convolution_few_outside
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<66x66x40xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
func.func @convolution_few_outside(%x: memref<1x64x64x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x64x64x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x64x64x40xf32>, memref<1x3x3x40x32xf32>) outs(%y : memref<1x64x64x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The border of a depthwise convolution is left out: no copy, and the loop over
// rows of the window is bounded.
// CHECK-LABEL: func @depthwise
// CHECK-NOT: memref.alloc
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: vector.fma
// CHECK: vector.maskedload
func.func @depthwise(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Squares of pixels become rows of 16 matrices, pixels outside are a row of
// zeros; 16 products a panel; 2 x 2 results a square, fewer where the image ends.
// Threads share even the few squares, as L2 holds the filter.
// CHECK-LABEL: func @winograd
// CHECK: kernel.parts 2 {
// CHECK: memref.alloc() {{.*}} : memref<16x13x48xf32>
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<1x9x9x32xf32>
// CHECK: vector.store %{{.*}} : memref<16x13x48xf32>
// CHECK: else
// CHECK-COUNT-16: arith.select {{.*}} : memref<32xf32, strided<[1], offset: ?>>
// CHECK: vector.fma
// CHECK: %[[SUMS:.*]] = memref.subview {{.*}} : memref<16x13x32xf32>
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK-NOT: kernel.parts
// CHECK: scf.if
// CHECK: %[[SQUARE:.*]] = memref.subview {{.*}} : memref<1x9x9x40xf32>
// CHECK: vector.store %{{.*}}, %[[SQUARE]]
// CHECK: else
func.func @winograd(%x: memref<1x9x9x32xf32>, %w: memref<2x16x32x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<2x16x32x32xf32>) outs(%y : memref<1x9x9x40xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Results of a tile stand two apart, as the pixels that they are made of: a tile
// is a view with steps. Of nine results a phase has five or four, tiles of two
// with one result or none at the end.
// CHECK-LABEL: func @winograd_dilated
// CHECK: memref.alloc() {{.*}} : memref<16x{{[0-9]+}}x48xf32>
// CHECK: memref.subview %arg2{{.*}} [1, 1, 2, 16] [1, 1, 2, 1] : memref<1x9x9x40xf32>
// CHECK: memref.subview %arg2{{.*}} [1, 1, 1, 16] [1, 1, 2, 1] : memref<1x9x9x40xf32>
func.func @winograd_dilated(%x: memref<1x9x9x32xf32>, %w: memref<2x16x32x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<2x16x32x32xf32>) outs(%y : memref<1x9x9x40xf32>) attributes {dilations = array<i64: 2, 2>, padding = array<i64: 2, 2>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Three channels are loaded as what they are and stored as a vector of four; of
// 20 the last four come before the first 16, which are written over what is
// stored past them.
// CHECK-LABEL: func @winograd_narrow
// CHECK: vector.maskedload {{.*}} into vector<4xf32>
// CHECK-NOT: vector.maskedstore
// CHECK: vector.store %{{.*}} : memref<9x{{.*}}>, vector<4xf32>
// CHECK: vector.fma
// CHECK-LABEL: func @winograd_rest
// CHECK: scf.if
// CHECK: vector.load %{{.*}}, %c16{{.*}} : memref<1x9x9x20xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} : memref<16x{{.*}}>, vector<4xf32>
// CHECK: vector.load %{{.*}} : memref<1x9x9x20xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}} : memref<16x{{.*}}>, vector<16xf32>
// CHECK: else
func.func @winograd_narrow(%x: memref<1x32x32x3xf32>, %w: memref<2x100x3x32xf32>, %y: memref<1x16x16x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x32x32x3xf32>, memref<2x100x3x32xf32>) outs(%y : memref<1x16x16x40xf32>) attributes {padding = array<i64: 2, 2>, strides = array<i64: 2, 2>, tiles = array<i64: 2, 2>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @winograd_rest(%x: memref<1x9x9x20xf32>, %w: memref<2x16x20x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x20xf32>, memref<2x16x20x32xf32>) outs(%y : memref<1x9x9x40xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A pixel of one channel is not taken for a column of as many.
// CHECK-LABEL: func @winograd_of_one
// CHECK: memref.cast %{{.*}} : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
func.func @winograd_of_one(%x: memref<1x20x20x1xf32>, %w: memref<1x100x1x16xf32>, %y: memref<1x20x20x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x20x20x1xf32>, memref<1x100x1x16xf32>) outs(%y : memref<1x20x20x16xf32>) attributes {padding = array<i64: 3, 3>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @transform_filter
// CHECK-COUNT-3: vector.maskedload
// CHECK: vector.store
// CHECK: arith.mulf
// CHECK: vector.store
func.func @transform_filter(%w: memref<3x3x4x7xf32>, %e: memref<1x16x4x16xf32>) {
  kernel.transform_filter ins(%w : memref<3x3x4x7xf32>) tiles [2, 2] strides [1, 1] outs(%e : memref<1x16x4x16xf32>)
  return
}

// -----

// Worth sharing: threads copy the rows together, then share the panels, and of a
// panel its tiles of rows: where a part begins may be amid a panel.
// CHECK-LABEL: func @shared
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: kernel.parts 10 {
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: kernel.parts 160 {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: %[[PANEL:.*]] = arith.divui %[[FIRST]], %c10
// CHECK: scf.for %{{.*}} = %[[PANEL]] to
// CHECK: vector.fma
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64, l2 = 4194304 : i64}} {
func.func @shared(%a: memref<128x1024xf32>, %b: memref<16x1024x32xf32>, %c: memref<128x512xf32>) {
  kernel.matmul ins(%a, %b : memref<128x1024xf32>, memref<16x1024x32xf32>) outs(%c : memref<128x512xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A row by weights of which L2 holds a part: a run may begin where the one
// before has ended, and is told so by grains whose ends are exchanged.
// CHECK-LABEL: func @alternating
// CHECK: kernel.parts 32 attributes {weir.alternates} {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK-DAG: %[[LOW:.*]] = arith.minsi %[[FIRST]], %[[LAST]]
// CHECK-DAG: %[[HIGH:.*]] = arith.maxsi %[[FIRST]], %[[LAST]]
// CHECK-DAG: %[[BACKWARD:.*]] = arith.cmpi sgt, %[[FIRST]], %[[LAST]]
// CHECK: scf.for %[[J:.*]] = %[[LOW]]
// CHECK: arith.select %[[BACKWARD]], %{{.*}}, %[[J]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @alternating(%a: memref<1x256xf32>, %b: memref<32x256x32xf32>, %c: memref<1x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<32x256x32xf32>) outs(%c : memref<1x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// More than L2 holds: lines come into L1 4 KB before they are read. Not for more
// rows, whose products take longer than lines from L3.
// CHECK-LABEL: func @streaming
// CHECK: scf.for %[[STEP:[a-z0-9]+]] = %c0 to %c256
// CHECK: %[[K:.*]] = arith.muli %[[STEP]], %c32
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c1024
// CHECK: memref.prefetch %arg1[%{{.*}}, %c0, %[[AHEAD]]], read, locality<3>, data : memref<64x256x32xf32>
// CHECK-COUNT-15: memref.prefetch %arg1
// CHECK: vector.fma
// CHECK-LABEL: func @streaming_rows
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
  func.func @streaming(%a: memref<1x256xf32>, %b: memref<64x256x32xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<64x256x32xf32>) outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @streaming_rows(%a: memref<4x256xf32>, %b: memref<64x256x32xf32>, %c: memref<4x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<4x256xf32>, memref<64x256x32xf32>) outs(%c : memref<4x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Nor is anything where the processor does so by itself.
// CHECK-LABEL: func @fetched_by_itself
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 1 : i64}} {
  func.func @fetched_by_itself(%a: memref<1x256xf32>, %b: memref<64x256x32xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<64x256x32xf32>) outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Of rows that are long L2 has few beside the panels. Of more of them it holds a
// slab of the depth, which all panels see block after block before the next one.
// CHECK-LABEL: func @slabs_of_low_tiles
// CHECK: scf.for %{{.*}} = %c0 to %c1920 step %c384
// CHECK: scf.for %{{[a-z0-9]+}} = %c0 to %c64 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %c192
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c192 step %c8
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 1 : i64, l2 = 1048576 : i64}} {
  func.func @slabs_of_low_tiles(%a: memref<512x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<512x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<64x2048x32xf32>) outs(%c : memref<512x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// What is read next comes into L2: after a block of the depth the next one of the
// panel, which two tiles fetch half and half.
// CHECK-LABEL: func @next_block
// CHECK: scf.for %[[K:.*]] = %c0 to %c1920 step %c192
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c192
// CHECK: %[[PANEL:.*]] = arith.divui
// CHECK-COUNT-8: memref.prefetch %arg1[%[[PANEL]], %[[NEXT]], %{{.*}}], read, locality<2>
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 1 : i64}} {
  func.func @next_block(%a: memref<8x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<8x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<8x2048xf32>, memref<64x2048x32xf32>) outs(%c : memref<8x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// After the last block of a slab it is the slab's first one of the next panel.
// CHECK-LABEL: func @next_of_slab
// CHECK: scf.for %[[SLAB:.*]] = %c0 to %c1920 step %c384
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %c192
// CHECK: %[[WRAPS:.*]] = arith.cmpi uge
// CHECK: arith.select %[[WRAPS]]
// CHECK: %[[NEXT:.*]] = arith.select %[[WRAPS]], %[[SLAB]]
// CHECK: memref.prefetch %arg1[%{{.*}}, %[[NEXT]], %{{.*}}], read, locality<2>
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 1 : i64}} {
  func.func @next_of_slab(%a: memref<512x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<512x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<64x2048x32xf32>) outs(%c : memref<512x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Many rows whose tiles fill a set of L1: each part copies its own.
// CHECK-LABEL: func @rows
// CHECK: kernel.parts 37 few {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: memref.alloc
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-NOT: kernel.parts
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
func.func @rows(%a: memref<512x1024xf32>, %b: memref<4x1024x32xf32>, %c: memref<512x128xf32>) {
  kernel.matmul ins(%a, %b : memref<512x1024xf32>, memref<4x1024x32xf32>) outs(%c : memref<512x128xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Rows of halves are copied as floats, to be widened once, but not rows that are
// columns in memory.
// CHECK-LABEL: func @halves
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<32x{{[0-9]+}}xf32>
// CHECK: memref.load %[[COPY]]
// CHECK-LABEL: func @turned_halves
// CHECK-NOT: memref.alloc
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}] : memref<64x32xbf16>
module attributes {weir.target = {vector_bits = 256 : i64}} {
func.func @halves(%a: memref<32x64xbf16>, %b: memref<3x64x16xbf16>, %c: memref<32x48xbf16>) {
  kernel.matmul ins(%a, %b : memref<32x64xbf16>, memref<3x64x16xbf16>) outs(%c : memref<32x48xbf16>) {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    kernel.yield %0 : bf16
  }
  return
}
func.func @turned_halves(%a: memref<64x32xbf16>, %b: memref<3x64x16xbf16>, %c: memref<32x48xbf16>) {
  kernel.matmul ins(%a, %b : memref<64x32xbf16>, memref<3x64x16xbf16>) outs(%c : memref<32x48xbf16>) attributes {transpose_a} {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    kernel.yield %0 : bf16
  }
  return
}
}

// -----

// Blocks of rows of a wave are grains, of whole tiles: 8 rows, though 9 fit. A
// product of so little work is shared, too.
// CHECK-LABEL: func @row_blocks
// CHECK: kernel.parts 4 by_rows {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: scf.for %[[GRAIN:.*]] = %[[FIRST]] to %[[LAST]] step %c1
// CHECK: arith.muli %[[GRAIN]], %c32
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-24: vector.fma
// CHECK-NOT: kernel.parts
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
func.func @row_blocks(%a: memref<128x64xf32>, %b: memref<1x64x48xf32>, %c: memref<128x48xf32>) attributes {weir.kernel, weir.row_blocks = array<i64: 128, 32>} {
  kernel.matmul ins(%a, %b : memref<128x64xf32>, memref<1x64x48xf32>) outs(%c : memref<128x48xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Of nine rows five on a set leave room for B: they are read where they are.
// CHECK-LABEL: func @rows_in_place
// CHECK: kernel.parts 57 few {
// CHECK-NOT: memref.alloc()
// CHECK: memref.load %arg0
// CHECK-NOT: memref.alloc()
// CHECK: return
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
func.func @rows_in_place(%a: memref<512x512xf32>, %b: memref<3x512x48xf32>, %c: memref<512x144xf32>) {
  kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<3x512x48xf32>) outs(%c : memref<512x144xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Of 57 tiles four blocks of 15, not four of 14 and one of a single tile. What all
// the blocks of the depth read and write of the result is fetched ahead; what the
// epilogue reads, for the last. All has constant places in the tile.
// CHECK-LABEL: func @blocks
// CHECK: kernel.parts 57
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c15
// CHECK: scf.for %{{.*}} = %c0 to %c1536 step %c512
// CHECK-NEXT: arith.cmpi eq
// CHECK-NOT: memref.subview %arg3
// CHECK: %[[TILE:.*]] = memref.subview %arg2[{{.*}}] [9, 48] [1, 1]
// CHECK: memref.prefetch %[[TILE]][%c0, %c0], write
// CHECK: memref.prefetch %[[TILE]][%c8, %c32], write
// CHECK-NOT: memref.subview %arg3
// CHECK: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c11 step %c1
// CHECK: %[[MORE:.*]] = memref.subview %arg3
// CHECK: memref.prefetch %[[MORE]][{{.*}}], read
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: memref.prefetch %[[TILE]][{{.*}}], write
// CHECK: vector.fma
// CHECK: vector.load %[[MORE]]
// CHECK: vector.store %{{.*}}, %[[TILE]]
// CHECK: return
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
func.func @blocks(%a: memref<512x2048xf32>, %b: memref<11x2048x48xf32>, %c: memref<512x528xf32>, %x: memref<512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<11x2048x48xf32>) extras(%x : memref<512x528xf32>) outs(%c : memref<512x528xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %more: f32):
    %s = arith.addf %sum, %more : f32
    kernel.yield %s : f32
  }
  return
}
}

// -----

// Of threads that share whole products of a batch each has all rows of its own; of
// those that share the rows of one each has an eighth, a block of 8 tiles.
// CHECK-LABEL: func @batches
// CHECK: kernel.parts 16
// CHECK: scf.for %{{.*}} = %{{.*}} to %c57 step %c15
// CHECK-LABEL: func @rows_of_eight
// CHECK: kernel.parts 57
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
module attributes {weir.slots = 8 : i64, weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
func.func @batches(%a: memref<16x512x512xf32>, %b: memref<16x11x512x48xf32>, %c: memref<16x512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<16x512x512xf32>, memref<16x11x512x48xf32>) outs(%c : memref<16x512x528xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @rows_of_eight(%a: memref<512x512xf32>, %b: memref<11x512x48xf32>, %c: memref<512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<11x512x48xf32>) outs(%c : memref<512x528xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The parts of a long direct sum are some of a row's channels, or rows.
// CHECK-LABEL: func @deep
// CHECK: memref.alloca() {{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c3 step
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c0 to %c144 step %c48
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c144 to %c192 step
func.func @deep(%x: memref<1x3x3x64xf32>, %w: memref<1x3x3x64x32xf32>, %y: memref<1x1x1x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x3x3x64xf32>, memref<1x3x3x64x32xf32>) outs(%y : memref<1x1x1x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
// CHECK-LABEL: func @rows_of_window
// CHECK: memref.alloca() {{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: vector.store %{{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c2 to %c6 step %c2
func.func @rows_of_window(%x: memref<1x7x7x3xf32>, %w: memref<1x7x7x3x32xf32>, %y: memref<1x1x1x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x7x7x3xf32>, memref<1x7x7x3x32xf32>) outs(%y : memref<1x1x1x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Where two multiply-adds begin in a cycle, a tile is six pixels of two panels.
// CHECK-LABEL: func @two_panels
// CHECK: vector.load %[[W:.*]][%c0, %{{.*}}, %{{.*}}, %c0] : memref<2x3x12x32xf32>
// CHECK: vector.load %[[W]][%c0, %{{.*}}, %{{.*}}, %c16]
// CHECK: vector.load %[[W]][%c1, %{{.*}}, %{{.*}}, %c0]
// CHECK: vector.load %[[W]][%c1, %{{.*}}, %{{.*}}, %c16]
// CHECK-COUNT-24: vector.fma
// CHECK-NEXT: scf.yield
module attributes {weir.target = {vector_bits = 512 : i64, fma_rate = 2 : i64}} {
  func.func @two_panels(%x: memref<1x26x26x4xf32>, %w: memref<2x3x3x4x32xf32>, %y: memref<1x24x24x64xf32>) {
    kernel.convolution ins(%x, %w : memref<1x26x26x4xf32>, memref<2x3x3x4x32xf32>) outs(%y : memref<1x24x24x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// An image is copied row by row into its border, then its tiles are shared.
// CHECK-LABEL: func @image
// CHECK: memref.alloc
// CHECK: kernel.parts 58 {
// CHECK: kernel.parts 56 {
// CHECK: vector.fma
func.func @image(%x: memref<1x56x56x64xf32>, %w: memref<2x3x3x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x56x56x64xf32>, memref<2x3x3x64x32xf32>) outs(%y : memref<1x56x56x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A 5 x 5 window is one of 3 and one of 2 taps along each axis: 49 products for 2
// x 2 results, which 16 sums are made of. 9 of these have four products, 6 have
// two and one has one.
// CHECK-LABEL: func @split
// CHECK: memref.alloc() {{.*}} : memref<9x1x80xf32>
// CHECK: memref.alloc() {{.*}} : memref<6x1x48xf32>
// CHECK: memref.alloc() {{.*}} : memref<1x1x32xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x1x16xf32>
// CHECK: memref.subview %{{.*}}[0, 0] [576, 16] [1, 1]
// CHECK: memref.subview %{{.*}}[576, 0] [192, 16] [1, 1]
// CHECK: memref.subview %{{.*}}[768, 0] [16, 16] [1, 1]
func.func @split(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 5, 5>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A long sum is made in parts, which wait on the stack, or in the result.
// CHECK-LABEL: func @long
// CHECK: memref.alloca() {{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c{{[0-9]+}}
// CHECK: vector.fma
// CHECK: vector.store %{{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c{{[1-9].*}} to
// CHECK: arith.addf
// CHECK: vector.store %{{.*}} : memref<2x16xf32>
// CHECK: vector.fma
// CHECK-LABEL: func @tall
// CHECK-NOT: memref.alloca
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq
// CHECK: vector.fma
// CHECK: scf.if %[[BEGINS]]
// CHECK: else
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: vector.load %[[TILE]]
func.func @long(%a: memref<1x2048xf32>, %b: memref<1x2048x32xf32>, %c: memref<1x32xf32>) {
  kernel.matmul ins(%a, %b : memref<1x2048xf32>, memref<1x2048x32xf32>) outs(%c : memref<1x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @tall(%a: memref<10x600xf32>, %b: memref<1x600x32xf32>, %c: memref<10x32xf32>) {
  kernel.matmul ins(%a, %b : memref<10x600xf32>, memref<1x600x32xf32>) outs(%c : memref<10x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// More panels than blocks of a few squares: threads share the squares, then these.
// CHECK-LABEL: func @winograd_panels
// CHECK: kernel.parts 25 {
// CHECK: kernel.parts 8 {
func.func @winograd_panels(%x: memref<1x9x9x32xf32>, %w: memref<8x16x32x32xf32>, %y: memref<1x9x9x256xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<8x16x32x32xf32>) outs(%y : memref<1x9x9x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Winograd's blocks are shared, or one block's squares and then its panels.
// CHECK-LABEL: func @winograd_shared
// CHECK: memref.alloc() {{.*}} : memref<16x49x272xf32>
// CHECK: kernel.parts 49 {
// CHECK: kernel.parts 8 {
// CHECK-NOT: memref<16x49x272xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x49x32xf32>
// CHECK: kernel.parts 13 {
// CHECK: memref.alloc() {{.*}} : memref<16x61x80xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x61x32xf32>
func.func @winograd_shared(%x: memref<1x14x14x256xf32>, %w: memref<8x16x256x32xf32>, %y: memref<1x14x14x256xf32>, %x2: memref<1x56x56x64xf32>, %w2: memref<2x16x64x32xf32>, %y2: memref<1x56x56x64xf32>) {
  kernel.winograd ins(%x, %w : memref<1x14x14x256xf32>, memref<8x16x256x32xf32>) outs(%y : memref<1x14x14x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  kernel.winograd ins(%x2, %w2 : memref<1x56x56x64xf32>, memref<2x16x64x32xf32>) outs(%y2 : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A filter that only the run knows is transformed a panel at a time where each
// panel is used once; else whole, before.
// CHECK-LABEL: func @winograd_of_filter
// CHECK-NOT: memref<8x16x256x32xf32>
// CHECK: kernel.parts 49 {
// CHECK: kernel.parts 8 {
// CHECK: %[[PANEL:.*]] = memref.alloc() {{.*}} : memref<1x16x256x32xf32>
// CHECK: vector.load %arg1[%c0{{.*}}] : memref<3x3x256x256xf32>
// CHECK: vector.store %{{.*}}, %[[PANEL]]
// CHECK: vector.fma
// CHECK-LABEL: func @winograd_of_blocks
// CHECK: %[[ALL:.*]] = memref.alloc() {{.*}} : memref<2x16x64x32xf32>
// CHECK: kernel.parts 64 {
// CHECK: vector.store %{{.*}}, %[[ALL]]
// CHECK: kernel.parts 13 {
func.func @winograd_of_filter(%x: memref<1x14x14x256xf32>, %f: memref<3x3x256x256xf32>, %y: memref<1x14x14x256xf32>) {
  %w = memref.alloc() {alignment = 64 : i64} : memref<8x16x256x32xf32>
  kernel.transform_filter ins(%f : memref<3x3x256x256xf32>) tiles [2, 2] strides [1, 1] outs(%w : memref<8x16x256x32xf32>)
  kernel.winograd ins(%x, %w : memref<1x14x14x256xf32>, memref<8x16x256x32xf32>) outs(%y : memref<1x14x14x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @winograd_of_blocks(%x: memref<1x56x56x64xf32>, %f: memref<3x3x64x64xf32>, %y: memref<1x56x56x64xf32>) {
  %w = memref.alloc() {alignment = 64 : i64} : memref<2x16x64x32xf32>
  kernel.transform_filter ins(%f : memref<3x3x64x64xf32>) tiles [2, 2] strides [1, 1] outs(%w : memref<2x16x64x32xf32>)
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x16x64x32xf32>) outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, tiles = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Pairs: seven rows are scaled by the exponent of their mean square and summed up
// with their neighbours. Where any fits, one multiply-add of sums and one of an
// element make three terms, then one of differences and one of an element. Where
// not all do, each term of the others is one of elements, by unscaled weights.
// CHECK-LABEL: func @pairs
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<7x112xf32>
// CHECK: arith.shrui
// CHECK: arith.cmpi ule
// CHECK: vector.shuffle {{.*}} [1, 0, 3, 2,
// CHECK: arith.cmpf ole
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf ord
// CHECK: scf.if
// CHECK: scf.for
// CHECK-COUNT-28: vector.fma
// CHECK: "~{memory}"
// CHECK-COUNT-28: vector.fma
// CHECK: "~{memory}"
// CHECK: scf.if
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-14: vector.fma
// CHECK-COUNT-14: arith.select %{{.*}} : vector<16xf32>
// CHECK: arith.maximumf %{{.*}} : vector<16xf32>
// CHECK-NOT: kernel
func.func @pairs(%a: memref<7x96xf32>, %b: memref<1x98x32xf32>, %c: memref<7x32xf32>) {
  kernel.matmul ins(%a, %b : memref<7x96xf32>, memref<1x98x32xf32>) outs(%c : memref<7x32xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// -----

// Of an image of few channels the nine rows of squares further on are fetched.
// CHECK-LABEL: func @fetch_rows_of_image
// CHECK-COUNT-9: memref.prefetch %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], read, locality<3>
// CHECK-NOT: locality<3>
// CHECK-NOT: kernel
func.func @fetch_rows_of_image(%x: memref<1x224x224x3xf32>, %w: memref<1x100x3x32xf32>, %y: memref<1x112x112x32xf32>) {
  kernel.winograd ins(%x, %w : memref<1x224x224x3xf32>, memref<1x100x3x32xf32>) outs(%y : memref<1x112x112x32xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 3, 3>, strides = array<i64: 2, 2>, tiles = array<i64: 2, 2>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The windows of a convolution are copied side by side, with zeros for what is
// outside, and scaled where they lie: each vector's neighbours are read before it is
// written.
// CHECK-LABEL: func @pairs_of_windows
// CHECK-SAME: %[[X:.*]]: memref<1x8x8x20xf32>
// CHECK: %[[LINES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<{{.*}}x208xf32>
// CHECK: scf.if
// CHECK: vector.load %[[X]]
// CHECK: vector.maskedload %[[X]]
// CHECK: vector.maskedstore %[[LINES]]
// CHECK: } else {
// CHECK: vector.store {{.*}} %[[LINES]]
// CHECK: scf.for
// CHECK: vector.load %[[LINES]][%[[L:.*]], %[[K:.*]]]
// CHECK: vector.load %[[LINES]]
// CHECK: vector.store {{.*}} %[[LINES]][%[[L]], %[[K]]]
// CHECK-NOT: kernel
func.func @pairs_of_windows(%x: memref<1x8x8x20xf32>, %w: memref<1x182x32xf32>, %y: memref<1x4x4x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x20xf32>, memref<1x182x32xf32>) outs(%y : memref<1x4x4x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, pairs_of = array<i64: 3, 3>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Panels that the run packs for pairs: copied, then squared, counted and compared,
// two lines at a time; then by groups of terms compared with the steps of their
// largest, scaled, and of pairs summed up what they have alone. That is no number
// where a column is uneven or nearly empty, or none but such steps are there.
// CHECK-LABEL: func @paired_panels
// CHECK-SAME: %{{.*}}: memref<20x40xf32>, %[[P:.*]]: memref<2x22x32xf32>
// CHECK: scf.for
// CHECK-COUNT-4: arith.maxui
// CHECK: arith.shrui
// CHECK: vector.reduction <maxui>
// CHECK: scf.for
// CHECK: arith.cmpf une
// CHECK: vector.store
// CHECK-COUNT-4: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: arith.cmpf ole
// CHECK: arith.cmpf ogt
// CHECK: vector.reduction <and>
// CHECK: vector.reduction <or>
// CHECK: vector.store {{.*}} %[[P]][%{{.*}}, %c20, %c0]
// CHECK: vector.store {{.*}} %[[P]][%{{.*}}, %c21, %c0]
// CHECK-NOT: kernel
func.func @paired_panels(%b: memref<20x40xf32>, %p: memref<2x22x32xf32>) {
  kernel.pack ins(%b : memref<20x40xf32>) outs(%p : memref<2x22x32xf32>) {paired}
  return
}

// -----

// Where two products begin in a cycle, an element of the left side is loaded once
// for both vectors of columns, and tiles have eight rows: of a row two pairs, and
// after all rows the terms that are none.
// CHECK-LABEL: func @pairs_share_loads
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8x112xf32>
// CHECK: scf.if
// CHECK: scf.for
// CHECK-COUNT-8: vector.broadcast
// CHECK-COUNT-2: vector.fma
// CHECK-NOT: vector.fma
// CHECK: "~{memory}"
// CHECK-COUNT-14: vector.fma
// CHECK: "~{memory}"
// CHECK-COUNT-16: vector.fma
// CHECK: "~{memory}"
module attributes {weir.target = {adds_beside = true, fma_rate = 2, features = "+avx512f"}} {
func.func @pairs_share_loads(%a: memref<8x96xf32>, %b: memref<1x98x32xf32>, %c: memref<8x32xf32>) {
  kernel.matmul ins(%a, %b : memref<8x96xf32>, memref<1x98x32xf32>) outs(%c : memref<8x32xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Of many terms a part after the other of all panels is added to sums that wait in
// memory, so that weights are read for more rows at a time: two of the six rounds
// of chains, and in the end what is missing.
// CHECK-LABEL: func @pairs_of_parts
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16x1x14x16xf32>
// CHECK: scf.for %[[PART:.*]] = %c0 to %c2 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK: scf.if
// CHECK: scf.if
// CHECK-COUNT-14: vector.store %{{.*}} : memref<16x1x14x16xf32>
// CHECK: scf.for
// CHECK-COUNT-56: vector.fma
// CHECK-COUNT-14: vector.store %{{.*}} : memref<16x1x14x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK-COUNT-56: vector.fma
// CHECK-COUNT-14: vector.store %{{.*}} : memref<16x1x14x16xf32>
// CHECK: scf.if
// CHECK-COUNT-14: vector.load %{{.*}} : memref<16x1x14x16xf32>
func.func @pairs_of_parts(%a: memref<112x2106xf32>, %b: memref<1x2108x32xf32>, %c: memref<112x32xf32>) {
  kernel.matmul ins(%a, %b : memref<112x2106xf32>, memref<1x2108x32xf32>) outs(%c : memref<112x32xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// As much as all of a kernel's threads may have does not wait.
// CHECK-LABEL: func @pairs_at_once
// CHECK-NOT: memref<{{.*}}x2000x14x16xf32>
// CHECK-NOT: kernel.matmul
module attributes {weir.slots = 2 : i64} {
func.func @pairs_at_once(%a: memref<112x2106xf32>, %b: memref<2000x2108x32xf32>, %c: memref<112x64000xf32>) {
  kernel.matmul ins(%a, %b : memref<112x2106xf32>, memref<2000x2108x32xf32>) outs(%c : memref<112x64000xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Fifteen tiles are no slab each for four threads: all share all tiles.
// CHECK-LABEL: func @pairs_of_few_tiles
// CHECK: kernel.parts 15 {
// CHECK: kernel.parts 15 {
module attributes {weir.slots = 4 : i64, weir.target = {adds_beside = true, fma_rate = 2, l2 = 65536, features = "+avx512f"}} {
func.func @pairs_of_few_tiles(%a: memref<120x1000xf32>, %b: memref<1x1002x32xf32>, %c: memref<120x32xf32>) {
  kernel.matmul ins(%a, %b : memref<120x1000xf32>, memref<1x1002x32xf32>) outs(%c : memref<120x32xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Each of two threads has two tiles, and all weights.
// CHECK-LABEL: func @pairs_by_rows
// CHECK: kernel.parts 2 few {
// CHECK-NOT: kernel.parts
module attributes {weir.slots = 2 : i64} {
func.func @pairs_by_rows(%a: memref<28x768xf32>, %b: memref<13x770x32xf32>, %c: memref<28x400xf32>) {
  kernel.matmul ins(%a, %b : memref<28x768xf32>, memref<13x770x32xf32>) outs(%c : memref<28x400xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Few slabs of rows are taken by all threads, then all tiles of all panels are
// shared; what is left of columns has code of its own.
// CHECK-LABEL: func @pairs_together
// CHECK: kernel.parts 5 {
// CHECK: kernel.parts 10 {
// CHECK: scf.if
module attributes {weir.slots = 2 : i64} {
func.func @pairs_together(%a: memref<32x768xf32>, %b: memref<2x770x32xf32>, %c: memref<32x40xf32>) {
  kernel.matmul ins(%a, %b : memref<32x768xf32>, memref<2x770x32xf32>) outs(%c : memref<32x40xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Weights in tiles: a block of rows is taken apart into bf16 and its magnitudes
// compared with the range; six products a step by tiles, or sums in vector
// registers, then the epilogue.
// CHECK-LABEL: func @tiles
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: arith.minui
// CHECK: arith.maxui
// CHECK-COUNT-3: vector.shuffle {{.*}} : vector<32xi16>, vector<32xi16>
// CHECK: vector.reduction <minui>
// CHECK: scf.if
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK: } else {
// CHECK: arith.shli
// CHECK: vector.fma
// CHECK: arith.maximumf %{{.*}} : vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NOT: kernel
func.func @tiles(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) outs(%c : memref<64x64xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// -----

// Between products of two parts one side changes: eight tiles are loaded for
// twelve products of tiles, each as soon as nothing more is made of what its
// register holds. Meanwhile the next panel comes into L2, after the last the
// first: a block of two fetches half of its lines.
// CHECK-LABEL: func @two_parts
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[AFTER:.*]], %c2{{.*}} : index
// CHECK: %[[NEXT:.*]] = arith.select %[[LAST]], %c0{{.*}}, %[[AFTER]] : index
// CHECK-COUNT-4: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %{{.*}}], read, locality<2>, data : memref<2x4096xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-NOT: "llvm.x86.tileloadd64"
// CHECK: return
func.func @two_parts(%a: memref<64x64xf32>, %b: memref<2x2x2x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x2x2x16x32xbf16>) outs(%c : memref<64x64xf32>) attributes {parts = 2 : i64, range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The joined rows of a batch have as many parts as its products.
// CHECK-LABEL: func @two_parts_of_a_batch
// CHECK-COUNT-12: "llvm.x86.tdpbf16ps"
// CHECK-NOT: "llvm.x86.tdpbf16ps"
// CHECK: return
func.func @two_parts_of_a_batch(%a: memref<2x32x64xf32>, %b: memref<1x2x2x2x16x32xbf16>, %c: memref<2x32x32xf32>) {
  kernel.matmul ins(%a, %b : memref<2x32x64xf32>, memref<1x2x2x2x16x32xbf16>) outs(%c : memref<2x32x32xf32>) attributes {parts = 2 : i64, range = array<i32: 226492416, 1879048192>, shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Rows whose parts are more than half of L2 holds are slabs, as many for each
// of two threads. Blocks are as even as can be: ten of two times fifteen rows,
// for which tiles are configured.
// CHECK-LABEL: func @slabs
// CHECK: dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 252645135, 269487887, 0, 0]>
// CHECK: kernel.parts 4 few
// CHECK: memref.alloc() {{.*}} : memref<3x32x3x2x15x32xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parts
// CHECK: return
module attributes {weir.slots = 2, weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @slabs(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) outs(%c : memref<300x1024xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Where the parts of all rows are one slab, threads share panels that L2 does not
// hold, each with all parts.
// CHECK-LABEL: func @panels_of_few_rows
// CHECK: kernel.parts 64 few {
// CHECK-NEXT: ^bb0(%[[FIRST:.*]]: index, %[[END:.*]]: index,
// CHECK: memref.alloc() {{.*}} : memref<2x16x3x2x13x32xbf16>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parts
// CHECK: return
module attributes {weir.slots = 2, weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @panels_of_few_rows(%a: memref<49x512xf32>, %b: memref<64x16x3x2x16x32xbf16>, %c: memref<49x2048xf32>) {
  kernel.matmul ins(%a, %b : memref<49x512xf32>, memref<64x16x3x2x16x32xbf16>) outs(%c : memref<49x2048xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// What a block has summed goes through the epilogue while the next is made:
// some rows in each step, between its products, and those of the last behind.
// Its own results come to L1 meanwhile.
// CHECK-LABEL: func @epilogue_meanwhile
// CHECK: memref.alloc() {{.*}} : memref<2x1x32x32xf32>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: arith.maximumf
// CHECK: memref.prefetch %{{.*}}, write, locality<3>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: arith.maximumf
// CHECK: "llvm.x86.tilerelease"
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @epilogue_meanwhile(%a: memref<1x8x16x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<1x8x16x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1x8x16x64xf32>, memref<2x2x3x2x16x32xbf16>) outs(%c : memref<1x8x16x64xf32>) attributes {range = array<i32: 226492416, 1879048192>, shared} {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}
}

// -----

// One thread takes a slab apart before its products, and then the next one.
// CHECK-LABEL: func @slab_by_slab
// CHECK: kernel.parts 3 few
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parts
// CHECK: return
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @slab_by_slab(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) outs(%c : memref<300x1024xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Bytes by dot products: the range of a block is found, elements become their
// distances from its least, and sums begin with what that makes of the column.
// CHECK-LABEL: func @dots
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: %[[LEAST:.*]] = vector.reduction <minsi>
// CHECK: arith.cmpi ule, %{{.*}}, %c255
// CHECK: %[[LOW:.*]] = vector.broadcast %[[LEAST]] : i32 to vector<16xi32>
// CHECK: arith.subi %{{.*}}, %[[LOW]]
// CHECK: arith.trunci {{.*}} to vector<16xi8>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.muli
// CHECK-COUNT-88: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: } else {
// CHECK: arith.muli
// CHECK: arith.maxsi %{{.*}} : vector<16xi32>
// CHECK-NOT: kernel
module attributes {weir.target = {features = "+avx512f,+avx512vnni", vector_bits = 512}} {
func.func @dots(%a: memref<64x64xi32>, %b: memref<2x1x1x2x16x64xi8>, %c: memref<64x64xi32>) {
  kernel.matmul ins(%a, %b : memref<64x64xi32>, memref<2x1x1x2x16x64xi8>) outs(%c : memref<64x64xi32>) attributes {range = array<i32: -128, 127>} {
  ^bb0(%sum: i32):
    %zero = arith.constant 0 : i32
    %r = arith.maxsi %sum, %zero : i32
    kernel.yield %r : i32
  }
  return
}
}

// -----

// Pairs of bf16 by dot products: rows are copied for their range, and blocks with
// others in it are summed as f32. What comes of the weights is fetched meanwhile,
// once for all rows of a block.
// CHECK-LABEL: func @pairs
// CHECK-NOT: vector.reduction <minsi>
// CHECK: vector.store %{{.*}}, %[[SPLIT:.*]][{{.*}} : memref<2x2x1x2x16x32xbf16>, vector<16xbf16>
// CHECK: vector.store %{{.*}}, %[[SPLIT]][{{.*}}, vector<16xbf16>
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: vector.load %[[SPLIT]][{{.*}}, vector<2xbf16>
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"{{.*}} -> vector<16xf32>
// CHECK: } else {
// CHECK: vector.fma
module attributes {weir.target = {features = "+avx512f,+avx512bf16", vector_bits = 512}} {
func.func @pairs(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) outs(%c : memref<64x64xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The sums of one row are in four sets, and each half of the columns is read as
// it lies.
// CHECK-LABEL: func @pairs_of_a_row
// CHECK-NOT: memref.prefetch
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: dpbf16ps.512
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: dpbf16ps.512
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.store
module attributes {weir.target = {features = "+avx512f,+avx512bf16", vector_bits = 512}} {
func.func @pairs_of_a_row(%a: memref<1x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<1x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1x64xbf16>, memref<2x2x1x2x16x32xbf16>) outs(%c : memref<1x64xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Groups of four channels: each channel of a pixel is spread over its group's
// lanes, once for all results that have the pixel in their window.
// CHECK-LABEL: func @small_groups
// CHECK: %[[PIXEL:.*]] = vector.load %arg0[{{.*}}, vector<16xf32>
// CHECK: vector.shuffle %[[PIXEL]], %[[PIXEL]] [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]
// CHECK: vector.shuffle %[[PIXEL]], %[[PIXEL]] [1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13]
// CHECK-COUNT-10: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @small_groups(%x: memref<1x3x16xf32>, %w: memref<2x4x16xf32>, %y: memref<1x2x16xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x3x16xf32>, memref<2x4x16xf32>) outs(%y : memref<1x2x16xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A filter that is more than L2 holds is fetched a panel ahead; a small one is not.
// CHECK-LABEL: func @fetched_ahead
// CHECK: memref.prefetch %{{.*}} : memref<16x147456xf32>
func.func @fetched_ahead(%x: memref<1x9x9x512xf32>, %w: memref<16x3x3x512x32xf32>, %y: memref<1x7x7x512xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x512xf32>, memref<16x3x3x512x32xf32>) outs(%y : memref<1x7x7x512xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @not_fetched
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @not_fetched(%x: memref<1x9x9x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<1x7x7x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x32xf32>, memref<1x3x3x32x32xf32>) outs(%y : memref<1x7x7x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A long epilogue is a loop over the tile and what is left of it; both see the tile
// of what is added.
// CHECK-LABEL: func @long_epilogue
// CHECK: %[[OUT:.*]] = memref.subview %arg2[0, %{{.*}}] [5, 32] [1, 1]
// CHECK: %[[MORE:.*]] = memref.subview %arg3[0, %{{.*}}] [5, 32] [1, 1]
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4 step %c2
// CHECK: vector.load %[[MORE]][%[[ROW]], %c0]
// CHECK: math.erf
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[ROW]], %c0]
// CHECK: }
// CHECK: vector.load %[[MORE]][%c4, %c0]
// CHECK: vector.store %{{.*}}, %[[OUT]][%c4, %c16]
func.func @long_epilogue(%a: memref<5x16xf32>, %b: memref<2x16x32xf32>, %c: memref<5x64xf32>, %x: memref<5x64xf32>) {
  kernel.matmul ins(%a, %b : memref<5x16xf32>, memref<2x16x32xf32>) extras(%x : memref<5x64xf32>) outs(%c : memref<5x64xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %more: f32):
    %0 = arith.addf %sum, %more : f32
    %1 = math.erf %0 : f32
    %2 = math.tanh %1 : f32
    %3 = math.exp %2 : f32
    kernel.yield %3 : f32
  }
  return
}

// -----

// A sum of floats is of chains of up to 1024 terms, each in tiles that begin with
// zeros, which are added up in vector registers.
// CHECK-LABEL: func @chains
// CHECK: memref.alloc() {{.*}} : memref<2x2x32x32xf32>
// CHECK: %[[PART:.*]] = memref.alloc() {{.*}} : memref<1x1x32x32xf32>
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK: vector.load %[[PART]]
// CHECK: arith.addf
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @chains(%a: memref<64x2048xf32>, %b: memref<2x64x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x2048xf32>, memref<2x64x3x2x16x32xbf16>) outs(%c : memref<64x64xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Panels of f32 come apart while the one before them is used, the first before:
// rows in pairs, whose upper halves become a line of a tile, and what is left of
// them those of the next parts. Rows further on are fetched meanwhile.
// CHECK-LABEL: func @apart_in_use
// CHECK: memref.alloc() {{.*}} : memref<2x24x3x2x16x32xbf16>
// CHECK: scf.for
// CHECK-COUNT-3: "llvm.x86.avx512.pternlog.d.512"
// CHECK: "llvm.x86.tilezero"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<24x768x32xf32>
// CHECK: arith.shrui
// CHECK: "llvm.x86.avx512.pternlog.d.512"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: return
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @apart_in_use(%a: memref<64x768xf32>, %b: memref<24x768x32xf32>, %c: memref<64x768xf32>) {
  kernel.matmul ins(%a, %b : memref<64x768xf32>, memref<24x768x32xf32>) outs(%c : memref<64x768xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// An image is taken apart with a border of zeros: 16 lines of 16 positions, and
// one and a block more. Tiles are lines of 14 results, and read theirs from any
// position on. The depth of 18 steps is one chain.
// CHECK-LABEL: func @tile_convolution
// CHECK: dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 235802126, 269487630, 0, 0]>
// CHECK: memref.alloc() {{.*}} : memref<2x3x1x300x32xbf16>
// CHECK: vector.reduction <minui>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c18
// CHECK-COUNT-24: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: vector.fma
// CHECK-NOT: kernel
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @tile_convolution(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x2x3x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x2x3x2x16x32xbf16>) outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, range = array<i32: 226492416, 1879048192>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Where windows step by two, pixels are four images by their phase, each of 8
// lines of 8 positions; and tiles of all lines take their borders along.
// CHECK-LABEL: func @tile_convolution_strides
// CHECK: memref.alloc() {{.*}} : memref<2x3x4x100x32xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: arith.cmpi ult
// CHECK-NOT: kernel
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @tile_convolution_strides(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x64x32xf32>, %y: memref<1x7x7x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x64x32xf32>) outs(%y : memref<1x7x7x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, range = array<i32: 226492416, 1879048192>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Before a last block of the depth that is shorter, as many steps come apart as
// before the others: no row past the last is read.
// CHECK-LABEL: func @uneven_depth
// CHECK: memref.alloc() {{.*}} : memref<2x27x3x2x16x32xbf16>
// CHECK: arith.minsi %{{.*}}, %c4223
// CHECK: return
module attributes {weir.target = {features = "+amx-tile,+amx-bf16", l2 = 2097152, vector_bits = 512}} {
func.func @uneven_depth(%a: memref<64x4224xf32>, %b: memref<1x4224x32xf32>, %c: memref<64x24xf32>) {
  kernel.matmul ins(%a, %b : memref<64x4224xf32>, memref<1x4224x32xf32>) outs(%c : memref<64x24xf32>) attributes {range = array<i32: 226492416, 1879048192>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

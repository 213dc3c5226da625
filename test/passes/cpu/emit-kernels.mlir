// Matrix products by multiply-adds, packing, and their parallel regions. Other kernels
// have their tests in folders with the names of their code.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The rows are split evenly (30 = 3 * 10), and the last columns are masked. The bias is
// read once per panel, and the epilogue uses vectors.
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
  kernel.matmul ins(%a, %b : memref<30x40xf32>, memref<2x40x32xf32>) layout <panels(32)> extras(%bias : memref<50xf32>) outs(%c : memref<30x50xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %zero = arith.constant 0.0 : f32
    %v = arith.addf %sum, %e : f32
    %r = arith.maximumf %v, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// -----

// A product of a batch has many columns. Threads share its blocks of 16 columns, and
// the last block has two.
// CHECK-LABEL: func @blocks_of_row_dots
// CHECK: kernel.parallel 9 {
// CHECK: %[[BLOCK:.*]] = arith.remui %{{.*}}, %c3
// CHECK: %[[BATCH:.*]] = arith.divui %{{.*}}, %c3
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c16
// CHECK: scf.if
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c15
// CHECK: vector.load %{{.*}}[%[[BATCH]], %[[LAST]], %{{.*}}]
// CHECK: } else {
// CHECK: vector.maskedstore
func.func @blocks_of_row_dots(%a: memref<3x1x6400xf32>, %b: memref<3x34x6400x1xf32>, %c: memref<3x1x34xf32>) {
  kernel.matmul ins(%a, %b : memref<3x1x6400xf32>, memref<3x34x6400x1xf32>) layout <k_major> outs(%c : memref<3x1x34xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A row reads a plain matrix 16 vectors at a time. L2 does not hold the matrix, so the
// kernel reads few of its rows at a time, as streams. The result has the spilled
// partial sums, and no chain is longer than elsewhere.
// CHECK-LABEL: func @row_by_plain
// CHECK: scf.for %{{.*}} = %c0 to %c510 step %c6
// CHECK: scf.for %{{.*}} to %{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1
// CHECK: %[[SUMS:.*]]:16 = scf.if
// CHECK: vector.store %[[SUMS]]#15
module attributes {weir.target = #weir.target<>} {
  func.func @row_by_plain(%a: memref<1x512xf32>, %b: memref<512x2048xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x512xf32>, memref<512x2048xf32>) outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The row and the columns are contiguous, so vectors are along the depth. Shuffles of
// vector halves reduce the two sums.
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
  kernel.matmul ins(%a, %b : memref<1x130xf32>, memref<2x130x1xf32>) layout <k_major> outs(%c : memref<1x2xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// For several rows, the kernel reduces the vectors of 16 sums at a time. The epilogue
// gets short vectors. A tile has 11 of the 33 rows.
// CHECK-LABEL: func @rows_by_k_major
// CHECK: scf.for {{.*}} %c3
// CHECK: vector.load %arg0
// CHECK: %[[W:.*]] = vector.load %{{.*}}[%c0, %{{.*}}]
// CHECK-COUNT-11: vector.fma %{{.*}}, %[[W]], %{{.*}} : vector<16xf32>
// CHECK: vector.maskedload %{{.*}} : memref<1x40xf32>
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK: vector.shuffle {{.*}} [10, 11, 12, 13] : vector<16xf32>
// CHECK: math.exp %{{.*}} : vector<4xf32>
// CHECK-NOT: kernel
func.func @rows_by_k_major(%a: memref<33x40xf32>, %b: memref<1x40x1xf32>, %c: memref<33x1xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<1x40x1xf32>) layout <k_major> outs(%c : memref<33x1xf32>) {
  ^bb0(%sum: f32):
    %e = math.exp %sum : f32
    kernel.yield %e : f32
  }
  return
}

// -----

// One row uses four sets of sums in turn.
// CHECK-LABEL: func @row
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-16: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-6: arith.addf
// CHECK: vector.store
func.func @row(%a: memref<1x64xf32>, %b: memref<4x64x32xf32>, %c: memref<1x128xf32>) {
  kernel.matmul ins(%a, %b : memref<1x64xf32>, memref<4x64x32xf32>) layout <panels(32)> outs(%c : memref<1x128xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The sums of f16 are f32.
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

// The target determines the vector width.
module attributes {weir.target = #weir.target<vector_bits = 256>} {
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

// A costly epilogue is a loop over the tile, with the sums on the stack.
// CHECK-LABEL: func @costly
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: scf.for
// CHECK-COUNT-12: math.exp %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK-NOT: math.exp
// CHECK: return
func.func @costly(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x32xf32>) {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x32xf32>) {
  ^bb0(%sum: f32):
    %u = math.exp %sum : f32
    %v = math.exp %u : f32
    %w = math.exp %v : f32
    kernel.yield %w : f32
  }
  return
}

// -----

// A product of few rows packs one block of a panel at its use, and allocates no other
// memory. The block is at most as deep as half of L1 holds. The result has the partial
// sums between the blocks.
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
  kernel.pack ins(%b : memref<200x64xf32>) layout <panels(32)> outs(%p : memref<2x200x32xf32>)
  kernel.matmul ins(%a, %p : memref<32x200xf32>, memref<2x200x32xf32>) layout <panels(32)> outs(%c : memref<32x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A product with a single tile of rows packs blocks, too, and its blocks are no deeper.
// CHECK-LABEL: func @pack_inside_few_rows
// CHECK: memref.alloca() {{.*}} : memref<128x32xf32>
// CHECK-NOT: memref.alloca() {{.*}} : memref<4096x32xf32>
// CHECK: return
func.func @pack_inside_few_rows(%a: memref<4x4096xf32>, %b: memref<64x4096xf32>, %c: memref<4x64xf32>) {
  %p = memref.alloc() : memref<2x4096x32xf32>
  kernel.pack ins(%b : memref<64x4096xf32>) layout <panels(32)> outs(%p : memref<2x4096x32xf32>) {transpose_b}
  kernel.matmul ins(%a, %p : memref<4x4096xf32>, memref<2x4096x32xf32>) layout <panels(32)> outs(%c : memref<4x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The source of the packing changes before the product, so the kernel packs all of it
// first.
// CHECK-LABEL: func @pack_before
// CHECK: memref.alloc() {{.*}}memref<2x200x32xf32>
func.func @pack_before(%a: memref<32x200xf32>, %b: memref<200x64xf32>, %c: memref<32x64xf32>, %x: f32) {
  %0 = arith.constant 0 : index
  %p = memref.alloc() : memref<2x200x32xf32>
  kernel.pack ins(%b : memref<200x64xf32>) layout <panels(32)> outs(%p : memref<2x200x32xf32>)
  memref.store %x, %b[%0, %0] : memref<200x64xf32>
  kernel.matmul ins(%a, %p : memref<32x200xf32>, memref<2x200x32xf32>) layout <panels(32)> outs(%c : memref<32x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The elements of a panel beyond the last column are zero.
// CHECK-LABEL: func @pack
// CHECK: scf.for
// CHECK: vector.maskedload
// CHECK: vector.store
func.func @pack(%b: memref<8x20xf32>, %p: memref<1x8x32xf32>) {
  kernel.pack ins(%b : memref<8x20xf32>) layout <panels(32)> outs(%p : memref<1x8x32xf32>)
  return
}

// -----

// Registers transpose whole blocks; the remaining elements are copied one by one.
// CHECK-LABEL: func @pack_transposed
// CHECK: scf.for
// CHECK-COUNT-16: vector.load %{{.*}} : memref<50x40xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}} : memref<2x40x32xf32>
// CHECK: memref.store
func.func @pack_transposed(%b: memref<50x40xf32>, %p: memref<2x40x32xf32>) {
  kernel.pack ins(%b : memref<50x40xf32>) layout <panels(32)> outs(%p : memref<2x40x32xf32>) {transpose_b}
  return
}

// -----

// Booleans are bytes: the kernel stores no vector of bits.
// CHECK-LABEL: func @boolean
// CHECK: arith.cmpf olt, %{{.*}} : vector<16xf32>
// CHECK: vector.extract %{{.*}}[0] : i1 from vector<16xi1>
// CHECK: memref.store %{{.*}} : memref<1x3xi1>
// CHECK-NOT: vector.store
// CHECK: return
func.func @boolean(%a: memref<1x8xf32>, %b: memref<8x3xf32>, %c: memref<1x3xi1>) {
  kernel.matmul ins(%a, %b : memref<1x8xf32>, memref<8x3xf32>) outs(%c : memref<1x3xi1>) {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %v = arith.cmpf olt, %sum, %zero : f32
    kernel.yield %v : i1
  }
  return
}

// -----

// If a batch shares the right operand, all of its rows are rows of one product.
// CHECK-LABEL: func @shared
// CHECK-DAG: memref.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : memref<2x7x8xf32> into memref<14x8xf32>
// CHECK-DAG: memref.collapse_shape %arg3 {{\[\[}}0, 1], [2]] : memref<2x7x16xf32> into memref<14x16xf32>
// CHECK: vector.load %arg2[%c0] : memref<16xf32>
func.func @shared(%a: memref<2x7x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<16xf32>, %c: memref<2x7x16xf32>) {
  kernel.matmul ins(%a, %b : memref<2x7x8xf32>, memref<1x8x16xf32>) layout <panels(16)> extras(%bias : memref<16xf32>) outs(%c : memref<2x7x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2) -> (d2)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// The rows of an image are rows of one product, too. The bias keeps its batch dimension
// of 1.
// CHECK-LABEL: func @shared_image
// CHECK-DAG: memref.collapse_shape %arg0 {{.*}} : memref<1x3x4x8xf32> into memref<12x8xf32>
// CHECK-DAG: memref.collapse_shape %arg3 {{.*}} : memref<1x3x4x16xf32> into memref<12x16xf32>
// CHECK: vector.load %arg2[%c0, %c0, %c0, %c0] : memref<1x1x1x16xf32>
func.func @shared_image(%a: memref<1x3x4x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<1x1x1x16xf32>, %c: memref<1x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<1x3x4x8xf32>, memref<1x8x16xf32>) layout <panels(16)> extras(%bias : memref<1x1x1x16xf32>) outs(%c : memref<1x3x4x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// With a stride of two, the pixels are copied first, so that all rows are rows of one
// product.
// CHECK-LABEL: func @shared_pixels
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x3x4x8xf32>
// CHECK: memref.copy %arg0, %[[ROWS]]
// CHECK-DAG: memref.collapse_shape %[[ROWS]] {{.*}} : memref<1x3x4x8xf32> into memref<12x8xf32>
// CHECK-DAG: memref.collapse_shape %arg2 {{.*}} : memref<1x3x4x16xf32> into memref<12x16xf32>
func.func @shared_pixels(%a: memref<1x3x4x8xf32, strided<[384, 128, 16, 1]>>, %b: memref<1x8x16xf32>, %c: memref<1x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<1x3x4x8xf32, strided<[384, 128, 16, 1]>>, memref<1x8x16xf32>) layout <panels(16)> outs(%c : memref<1x3x4x16xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Images with different biases are not joined.
// CHECK-LABEL: func @apart
// CHECK-NOT: memref.collapse_shape %arg0
// CHECK: return
func.func @apart(%a: memref<2x3x4x8xf32>, %b: memref<1x8x16xf32>, %bias: memref<2x1x1x16xf32>, %c: memref<2x3x4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<2x3x4x8xf32>, memref<1x8x16xf32>) layout <panels(16)> extras(%bias : memref<2x1x1x16xf32>) outs(%c : memref<2x3x4x16xf32>) attributes {shared, extra_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// Threads share a large product: they copy the rows together, then they share the tiles
// of all panels. A chunk may begin in the middle of a panel.
// CHECK-LABEL: func @shared
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: kernel.parallel 10 {
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: kernel.parallel 160 {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: %[[PANEL:.*]] = arith.divui %[[FIRST]], %c10
// CHECK: scf.for %{{.*}} = %[[PANEL]] to
// CHECK: vector.fma
module attributes {weir.target = #weir.target<l2 = 4194304, fma_rate = 2>} {
func.func @shared(%a: memref<128x1024xf32>, %b: memref<16x1024x32xf32>, %c: memref<128x512xf32>) {
  kernel.matmul ins(%a, %b : memref<128x1024xf32>, memref<16x1024x32xf32>) layout <panels(32)> outs(%c : memref<128x512xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// L2 holds a part of the weights of this row. A run may begin where the run before it
// ended. A chunk with exchanged ends tells the kernel to go backwards.
// CHECK-LABEL: func @alternating
// CHECK: kernel.parallel 32 attributes {weir.alternates} {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK-DAG: %[[LOW:.*]] = arith.minsi %[[FIRST]], %[[LAST]]
// CHECK-DAG: %[[HIGH:.*]] = arith.maxsi %[[FIRST]], %[[LAST]]
// CHECK-DAG: %[[BACKWARD:.*]] = arith.cmpi sgt, %[[FIRST]], %[[LAST]]
// CHECK: scf.for %[[J:.*]] = %[[LOW]]
// CHECK: arith.select %[[BACKWARD]], %{{.*}}, %[[J]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @alternating(%a: memref<1x256xf32>, %b: memref<32x256x32xf32>, %c: memref<1x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<32x256x32xf32>) layout <panels(32)> outs(%c : memref<1x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// L2 does not hold the weights, so each cache line is prefetched to L1 4 KB ahead. More
// rows need no prefetch, because their products take longer than loads from L3.
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
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @streaming(%a: memref<1x256xf32>, %b: memref<64x256x32xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<64x256x32xf32>) layout <panels(32)> outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @streaming_rows(%a: memref<4x256xf32>, %b: memref<64x256x32xf32>, %c: memref<4x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<4x256xf32>, memref<64x256x32xf32>) layout <panels(32)> outs(%c : memref<4x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Nothing is prefetched if the processor does so itself.
// CHECK-LABEL: func @fetched_by_itself
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<>} {
  func.func @fetched_by_itself(%a: memref<1x256xf32>, %b: memref<64x256x32xf32>, %c: memref<1x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<1x256xf32>, memref<64x256x32xf32>) layout <panels(32)> outs(%c : memref<1x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// If rows are long, L2 holds few of them beside the panels. With many rows, L2 holds a
// slab of the depth. All panels use the blocks of a slab before the next slab begins.
// CHECK-LABEL: func @slabs_of_low_tiles
// CHECK: scf.for %{{.*}} = %c0 to %c1920 step %c384
// CHECK: scf.for %{{[a-z0-9]+}} = %c0 to %c64 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %c192
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c192 step %c8
module attributes {weir.target = #weir.target<>} {
  func.func @slabs_of_low_tiles(%a: memref<512x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<512x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<64x2048x32xf32>) layout <panels(32)> outs(%c : memref<512x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// After a block of the depth, the kernel prefetches the next block of the panel to L2.
// Each of two tiles fetches half of it.
// CHECK-LABEL: func @next_block
// CHECK: scf.for %[[K:.*]] = %c0 to %c1920 step %c192
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c192
// CHECK: %[[PANEL:.*]] = arith.divui
// CHECK-COUNT-8: memref.prefetch %arg1[%[[PANEL]], %[[NEXT]], %{{.*}}], read, locality<2>
module attributes {weir.target = #weir.target<>} {
  func.func @next_block(%a: memref<8x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<8x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<8x2048xf32>, memref<64x2048x32xf32>) layout <panels(32)> outs(%c : memref<8x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// After the last block of a slab, the kernel prefetches the slab's first block of the
// next panel.
// CHECK-LABEL: func @next_of_slab
// CHECK: scf.for %[[SLAB:.*]] = %c0 to %c1920 step %c384
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %c192
// CHECK: %[[WRAPS:.*]] = arith.cmpi uge
// CHECK: arith.select %[[WRAPS]]
// CHECK: %[[NEXT:.*]] = arith.select %[[WRAPS]], %[[SLAB]]
// CHECK: memref.prefetch %arg1[%{{.*}}, %[[NEXT]], %{{.*}}], read, locality<2>
module attributes {weir.target = #weir.target<>} {
  func.func @next_of_slab(%a: memref<512x2048xf32>, %b: memref<64x2048x32xf32>, %c: memref<512x2048xf32>) {
    kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<64x2048x32xf32>) layout <panels(32)> outs(%c : memref<512x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The tiles of many rows would use one set of L1, so each chunk copies its own rows.
// CHECK-LABEL: func @rows
// CHECK: kernel.parallel 37 coarse {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: memref.alloc
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-NOT: kernel.parallel
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @rows(%a: memref<512x1024xf32>, %b: memref<4x1024x32xf32>, %c: memref<512x128xf32>) {
  kernel.matmul ins(%a, %b : memref<512x1024xf32>, memref<4x1024x32xf32>) layout <panels(32)> outs(%c : memref<512x128xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Rows of f16 are copied as f32, so that each element is widened once. Rows that are
// columns in memory are not copied.
// CHECK-LABEL: func @f16_rows
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<32x{{[0-9]+}}xf32>
// CHECK: memref.load %[[COPY]]
// CHECK-LABEL: func @transposed_f16_rows
// CHECK-NOT: memref.alloc
// CHECK: memref.load %arg0[%{{.*}}, %{{.*}}] : memref<64x32xbf16>
module attributes {weir.target = #weir.target<vector_bits = 256>} {
func.func @f16_rows(%a: memref<32x64xbf16>, %b: memref<3x64x16xbf16>, %c: memref<32x48xbf16>) {
  kernel.matmul ins(%a, %b : memref<32x64xbf16>, memref<3x64x16xbf16>) layout <panels(16)> outs(%c : memref<32x48xbf16>) {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    kernel.yield %0 : bf16
  }
  return
}
func.func @transposed_f16_rows(%a: memref<64x32xbf16>, %b: memref<3x64x16xbf16>, %c: memref<32x48xbf16>) {
  kernel.matmul ins(%a, %b : memref<64x32xbf16>, memref<3x64x16xbf16>) layout <panels(16)> outs(%c : memref<32x48xbf16>) attributes {transpose_a} {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    kernel.yield %0 : bf16
  }
  return
}
}

// -----

// Blocks of rows of a row-wise group are work items of whole tiles: 8 rows, though 9
// fit. Threads share even such a small product.
// CHECK-LABEL: func @row_blocks
// CHECK: kernel.parallel 4 row_wise {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: scf.for %[[ITEM:.*]] = %[[FIRST]] to %[[LAST]] step %c1
// CHECK: arith.muli %[[ITEM]], %c32
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-24: vector.fma
// CHECK-NOT: kernel.parallel
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @row_blocks(%a: memref<128x64xf32>, %b: memref<1x64x48xf32>, %c: memref<128x48xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 128, size = 32>} {
  kernel.matmul ins(%a, %b : memref<128x64xf32>, memref<1x64x48xf32>) layout <panels(48)> outs(%c : memref<128x48xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Five of nine rows use the same set of L1. This leaves room for B, so the rows are
// read in place.
// CHECK-LABEL: func @rows_in_place
// CHECK: kernel.parallel 57 coarse {
// CHECK-NOT: memref.alloc()
// CHECK: memref.load %arg0
// CHECK-NOT: memref.alloc()
// CHECK: return
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @rows_in_place(%a: memref<512x512xf32>, %b: memref<3x512x48xf32>, %c: memref<512x144xf32>) {
  kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<3x512x48xf32>) layout <panels(48)> outs(%c : memref<512x144xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The 57 tiles are four blocks of at most 15, and not four blocks of 14 and one of a
// single tile. All blocks of the depth prefetch the result, and the last one also
// prefetches the extra of the epilogue. All offsets in the tile are constants.
// CHECK-LABEL: func @blocks
// CHECK: kernel.parallel 57
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
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @blocks(%a: memref<512x2048xf32>, %b: memref<11x2048x48xf32>, %c: memref<512x528xf32>, %x: memref<512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<512x2048xf32>, memref<11x2048x48xf32>) layout <panels(48)> extras(%x : memref<512x528xf32>) outs(%c : memref<512x528xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %more: f32):
    %s = arith.addf %sum, %more : f32
    kernel.yield %s : f32
  }
  return
}
}

// -----

// Threads that share whole products of a batch compute all rows of a product in blocks.
// Threads that share the rows of one product have an eighth of the tiles each: one
// block of 8.
// CHECK-LABEL: func @batches
// CHECK: kernel.parallel 16
// CHECK: scf.for %{{.*}} = %{{.*}} to %c57 step %c15
// CHECK-LABEL: func @rows_of_eight
// CHECK: kernel.parallel 57
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
module attributes {weir.slots = 8 : i64, weir.target = #weir.target<fma_rate = 2>} {
func.func @batches(%a: memref<16x512x512xf32>, %b: memref<16x11x512x48xf32>, %c: memref<16x512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<16x512x512xf32>, memref<16x11x512x48xf32>) layout <panels(48)> outs(%c : memref<16x512x528xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @rows_of_eight(%a: memref<512x512xf32>, %b: memref<11x512x48xf32>, %c: memref<512x528xf32>) {
  kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<11x512x48xf32>) layout <panels(48)> outs(%c : memref<512x528xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A long sum has several parts, whose partial sums are on the stack or in the result.
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
  kernel.matmul ins(%a, %b : memref<1x2048xf32>, memref<1x2048x32xf32>) layout <panels(32)> outs(%c : memref<1x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @tall(%a: memref<10x600xf32>, %b: memref<1x600x32xf32>, %c: memref<10x32xf32>) {
  kernel.matmul ins(%a, %b : memref<10x600xf32>, memref<1x600x32xf32>) layout <panels(32)> outs(%c : memref<10x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A long epilogue is a loop over the tile, with a remainder after it. Both use a view
// of the tile of the addend.
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
  kernel.matmul ins(%a, %b : memref<5x16xf32>, memref<2x16x32xf32>) layout <panels(32)> extras(%x : memref<5x64xf32>) outs(%c : memref<5x64xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
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

// A sum of f32 has chains of up to 1024 terms. Each chain begins with zeros in tiles,
// and vector registers add the chains.
// CHECK-LABEL: func @chains
// CHECK: memref.alloc() {{.*}} : memref<2x2x32x32xf32>
// CHECK: %[[PART:.*]] = memref.alloc() {{.*}} : memref<1x1x32x32xf32>
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK: vector.load %[[PART]]
// CHECK: arith.addf
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @chains(%a: memref<64x2048xf32>, %b: memref<2x64x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x2048xf32>, memref<2x64x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The last block of the depth is shorter. The kernel splits as many steps before it as
// before the others, and reads no row beyond the last.
// CHECK-LABEL: func @uneven_depth
// CHECK: memref.alloc() {{.*}} : memref<2x27x3x2x16x32xbf16>
// CHECK: arith.minsi %{{.*}}, %c4223
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @uneven_depth(%a: memref<64x4224xf32>, %b: memref<1x4224x32xf32>, %c: memref<64x24xf32>) {
  kernel.matmul ins(%a, %b : memref<64x4224xf32>, memref<1x4224x32xf32>) layout <amx_panels(3, -100, 97)> outs(%c : memref<64x24xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A product of an attention with a dynamic length ends at its actual columns.
// CHECK-LABEL: func @ends_columns
// CHECK: %[[SIZE:.*]] = memref.load %arg3[] : memref<i64>
// CHECK: %[[COLUMNS:.*]] = arith.index_cast %[[SIZE]]
// CHECK: %[[MORE:.*]] = arith.addi %[[COLUMNS]]
// CHECK: %[[TILES:.*]] = arith.divui %[[MORE]]
// CHECK: %[[END:.*]] = arith.minsi %[[TILES]]
// CHECK: scf.for
func.func @ends_columns(%a: memref<4x8xf32>, %b: memref<8x96xf32>, %c: memref<4x96xf32>, %n: memref<i64>) attributes {weir.columns = 3 : i64} {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x96xf32>) outs(%c : memref<4x96xf32>) attributes {weir.ends_columns} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Terms beyond the actual depth are not read. After whole iterations, the remaining
// terms are multiplied one by one.
// CHECK-LABEL: func @ends_depth
// CHECK: %[[SIZE:.*]] = memref.load %arg3[] : memref<i64>
// CHECK: %[[DEPTH:.*]] = arith.index_cast %[[SIZE]]
// CHECK: %[[END:.*]] = arith.minsi %[[DEPTH]], %{{.*}}
// CHECK: arith.divui
// CHECK: scf.for
// CHECK: scf.for
func.func @ends_depth(%a: memref<4x64xf32>, %b: memref<64x16xf32>, %c: memref<4x16xf32>, %n: memref<i64>) {
  kernel.matmul ins(%a, %b : memref<4x64xf32>, memref<64x16xf32>) depth(%n : memref<i64>) outs(%c : memref<4x16xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

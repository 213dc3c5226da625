// Matrix products by inner-product pairing, and the packing of their panels.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Seven rows are scaled by the exponent of their mean square, and adjacent elements are
// added. If any row is eligible, one multiply-add of sums and one of a single element
// compute three terms. The next two use differences and a single element. If some rows
// are not eligible, their terms use the unscaled weights.
// CHECK-LABEL: func @pairing
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
func.func @pairing(%a: memref<7x96xf32>, %b: memref<1x98x32xf32>, %c: memref<7x32xf32>) {
  kernel.matmul ins(%a, %b : memref<7x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<7x32xf32>) {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}

// -----

// The windows of a convolution are copied side by side, with zeros outside of the
// image, and scaled in place. Each vector is read with its neighbors before it is
// written.
// CHECK-LABEL: func @pairing_windows
// CHECK-SAME: %[[X:.*]]: memref<1x8x8x20xf32>
// CHECK: %[[WINDOWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<{{.*}}x208xf32>
// CHECK: scf.if
// CHECK: vector.load %[[X]]
// CHECK: vector.maskedload %[[X]]
// CHECK: vector.maskedstore %[[WINDOWS]]
// CHECK: } else {
// CHECK: vector.store {{.*}} %[[WINDOWS]]
// CHECK: scf.for
// CHECK: vector.load %[[WINDOWS]][%[[L:.*]], %[[K:.*]]]
// CHECK: vector.load %[[WINDOWS]]
// CHECK: vector.store {{.*}} %[[WINDOWS]][%[[L]], %[[K]]]
// CHECK-NOT: kernel
func.func @pairing_windows(%x: memref<1x8x8x20xf32>, %w: memref<1x182x32xf32>, %y: memref<1x4x4x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x20xf32>, memref<1x182x32xf32>) layout <pairing(3, 3)> outs(%y : memref<1x4x4x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The run packs panels for pairing. It copies two rows at a time, and squares, counts
// and compares their elements. Then it compares groups of terms with the grid of the
// largest element, scales them and sums the correction terms. The correction term is
// NaN for a column that is uneven, nearly empty or entirely on the grid.
// CHECK-LABEL: func @pairing_panels
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
func.func @pairing_panels(%b: memref<20x40xf32>, %p: memref<2x22x32xf32>) {
  kernel.pack ins(%b : memref<20x40xf32>) layout <pairing> outs(%p : memref<2x22x32xf32>)
  return
}

// -----

// With two multiply-adds a cycle, an element of the left operand is loaded once for
// both vectors of columns. Tiles have eight rows, and each row has two pairs. The terms
// without pairs follow after all rows.
// CHECK-LABEL: func @pairing_reuses_loads
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
module attributes {weir.target = #weir.target<features = "+avx512f", fma_rate = 2, adds_beside = true>} {
func.func @pairing_reuses_loads(%a: memref<8x96xf32>, %b: memref<1x98x32xf32>, %c: memref<8x32xf32>) {
  kernel.matmul ins(%a, %b : memref<8x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<8x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A chain of additions has up to 126 terms if the sum has no more.
// CHECK-LABEL: func @pairing_one_chain
// CHECK: scf.for %{{.*}} = %c0 to %c21 step %c1 iter_args
// CHECK-COUNT-28: vector.fma
func.func @pairing_one_chain(%a: memref<7x128xf32>, %b: memref<1x130x32xf32>, %c: memref<7x32xf32>) {
  kernel.matmul ins(%a, %b : memref<7x128xf32>, memref<1x130x32xf32>) layout <pairing> outs(%c : memref<7x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A long sum has several parts of the depth. Each part of all panels is added to
// spilled partial sums, so that weights are read for more rows at a time. A part is two
// of the six rounds of chains, and the remainder is last.
// CHECK-LABEL: func @pairing_depth_parts
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
func.func @pairing_depth_parts(%a: memref<112x2106xf32>, %b: memref<1x2108x32xf32>, %c: memref<112x32xf32>) {
  kernel.matmul ins(%a, %b : memref<112x2106xf32>, memref<1x2108x32xf32>) layout <pairing> outs(%c : memref<112x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Spilled partial sums may use a limited amount of memory for all threads of a kernel.
// This product exceeds it and has no parts of the depth.
// CHECK-LABEL: func @pairing_at_once
// CHECK-NOT: memref<{{.*}}x2000x14x16xf32>
// CHECK-NOT: kernel.matmul
// CHECK: return
module attributes {weir.slots = 2 : i64} {
func.func @pairing_at_once(%a: memref<112x2106xf32>, %b: memref<2000x2108x32xf32>, %c: memref<112x64000xf32>) {
  kernel.matmul ins(%a, %b : memref<112x2106xf32>, memref<2000x2108x32xf32>) layout <pairing> outs(%c : memref<112x64000xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Fifteen tiles are not one slab for each of four threads, so all threads share all
// tiles.
// CHECK-LABEL: func @pairing_few_tiles
// CHECK: kernel.parallel 15 {
// CHECK: kernel.parallel 15 {
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<features = "+avx512f", l2 = 65536, fma_rate = 2, adds_beside = true>} {
func.func @pairing_few_tiles(%a: memref<120x1000xf32>, %b: memref<1x1002x32xf32>, %c: memref<120x32xf32>) {
  kernel.matmul ins(%a, %b : memref<120x1000xf32>, memref<1x1002x32xf32>) layout <pairing> outs(%c : memref<120x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// All rows with their spilled partial sums would need 16 MB. So threads take one slab
// after another.
// CHECK-LABEL: func @pairing_deep_rows
// CHECK: kernel.parallel 15 coarse {
// CHECK-NOT: kernel.parallel
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<features = "+avx512f", l2 = 65536, fma_rate = 2, adds_beside = true>} {
func.func @pairing_deep_rows(%a: memref<120x40000xf32>, %b: memref<1x40002x32xf32>, %c: memref<120x32xf32>) {
  kernel.matmul ins(%a, %b : memref<120x40000xf32>, memref<1x40002x32xf32>) layout <pairing> outs(%c : memref<120x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Four tiles share the prefetches of a small matrix, and two tiles of a thread's own
// slab do not.
// CHECK-LABEL: func @pairing_prefetches
// CHECK: memref.prefetch %{{.*}} : memref<16x130x32xf32>
module attributes {weir.slots = 1 : i64, weir.target = #weir.target<features = "+avx512f", l1 = 49152, fma_rate = 2, adds_beside = true>} {
func.func @pairing_prefetches(%a: memref<32x128xf32>, %b: memref<16x130x32xf32>, %c: memref<32x512xf32>) {
  kernel.matmul ins(%a, %b : memref<32x128xf32>, memref<16x130x32xf32>) layout <pairing> outs(%c : memref<32x512xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// CHECK-LABEL: func @pairing_slabs_not_prefetched
// CHECK: kernel.parallel 2 coarse {
// CHECK-NOT: memref.prefetch
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+avx512f", l1 = 49152, fma_rate = 2, adds_beside = true>} {
func.func @pairing_slabs_not_prefetched(%a: memref<32x128xf32>, %b: memref<16x130x32xf32>, %c: memref<32x512xf32>) {
  kernel.matmul ins(%a, %b : memref<32x128xf32>, memref<16x130x32xf32>) layout <pairing> outs(%c : memref<32x512xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Each of two threads has two tiles and reads all weights.
// CHECK-LABEL: func @pairing_slabs
// CHECK: kernel.parallel 2 coarse {
// CHECK-NOT: kernel.parallel
module attributes {weir.slots = 2 : i64} {
func.func @pairing_slabs(%a: memref<28x768xf32>, %b: memref<13x770x32xf32>, %c: memref<28x400xf32>) {
  kernel.matmul ins(%a, %b : memref<28x768xf32>, memref<13x770x32xf32>) layout <pairing> outs(%c : memref<28x400xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// All threads prepare the few slabs of rows, and then share the tiles of all panels.
// The remaining columns have their own code.
// CHECK-LABEL: func @pairing_shares
// CHECK: kernel.parallel 5 {
// CHECK: kernel.parallel 10 {
// CHECK: scf.if
module attributes {weir.slots = 2 : i64} {
func.func @pairing_shares(%a: memref<32x768xf32>, %b: memref<2x770x32xf32>, %c: memref<32x40xf32>) {
  kernel.matmul ins(%a, %b : memref<32x768xf32>, memref<2x770x32xf32>) layout <pairing> outs(%c : memref<32x40xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Each of two threads has two panels and all rows. It packs each panel to the memory of
// the one before, so no buffer has all panels.
// CHECK-LABEL: func @panel_by_panel
// CHECK-SAME: %{{.*}}: memref<64x192xf32>, %[[B:.*]]: memref<192x120xf32>
// CHECK-NOT: memref<4x194x32xf32>
// CHECK: kernel.parallel 4 coarse {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<{{.*}}x208xf32>
// CHECK: %[[PANEL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x194x32xf32>
// CHECK: vector.load %[[B]]
// CHECK: vector.store {{.*}}, %[[PANEL]]
// CHECK: arith.cmpf ole
// CHECK: vector.fma
// CHECK-NOT: kernel
module attributes {weir.slots = 2 : i64} {
func.func @panel_by_panel(%a: memref<64x192xf32>, %b: memref<192x120xf32>, %c: memref<64x120xf32>) {
  %p = memref.alloc() : memref<4x194x32xf32>
  kernel.pack ins(%b : memref<192x120xf32>) layout <pairing> outs(%p : memref<4x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<4x194x32xf32>) layout <pairing> outs(%c : memref<64x120xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// One of two threads would have two of three panels, so all panels are packed before.
// CHECK-LABEL: func @uneven_panels
// CHECK: memref.alloc() : memref<3x194x32xf32>
// CHECK: kernel.parallel 3 {
// CHECK: kernel.parallel 2 coarse {
module attributes {weir.slots = 2 : i64} {
func.func @uneven_panels(%a: memref<64x192xf32>, %b: memref<192x90xf32>, %c: memref<64x90xf32>) {
  %p = memref.alloc() : memref<3x194x32xf32>
  kernel.pack ins(%b : memref<192x90xf32>) layout <pairing> outs(%p : memref<3x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<3x194x32xf32>) layout <pairing> outs(%c : memref<64x90xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// With spilled partial sums between parts of the depth, L2 does not hold all rows.
// CHECK-LABEL: func @parts_of_the_depth
// CHECK: memref.alloc() : memref<1x2108x32xf32>
// CHECK-NOT: {alignment = 64 : i64} : memref<1x2108x32xf32>
module attributes {weir.target = #weir.target<features = "+avx512f", adds_beside = true>} {
func.func @parts_of_the_depth(%a: memref<112x2106xf32>, %b: memref<2106x32xf32>, %c: memref<112x32xf32>) {
  %p = memref.alloc() : memref<1x2108x32xf32>
  kernel.pack ins(%b : memref<2106x32xf32>) layout <pairing> outs(%p : memref<1x2108x32xf32>)
  kernel.matmul ins(%a, %p : memref<112x2106xf32>, memref<1x2108x32xf32>) layout <pairing> outs(%c : memref<112x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A product without pairing does not pack panels for pairing inside.
// CHECK-LABEL: func @plain_product
// CHECK: memref.alloc() : memref<1x10x32xf32>
module attributes {weir.slots = 2 : i64} {
func.func @plain_product(%a: memref<64x10xf32>, %b: memref<8x32xf32>, %c: memref<64x32xf32>) {
  %p = memref.alloc() : memref<1x10x32xf32>
  kernel.pack ins(%b : memref<8x32xf32>) layout <pairing> outs(%p : memref<1x10x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x10xf32>, memref<1x10x32xf32>) layout <panels(32)> outs(%c : memref<64x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

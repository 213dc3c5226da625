// Panels of pairs that the run packs, and the products that read them.

// RUN: weir-opt %s -split-input-file --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Each of two threads has two panels, and all rows: a panel is packed where the
// last one was, and the panels that all would have are gone.
// CHECK-LABEL: func @panel_by_panel
// CHECK-SAME: %{{.*}}: memref<64x192xf32>, %[[B:.*]]: memref<192x120xf32>
// CHECK-NOT: memref<4x194x32xf32>
// CHECK: kernel.parts 4 few {
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
  kernel.pack ins(%b : memref<192x120xf32>) outs(%p : memref<4x194x32xf32>) {paired}
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<4x194x32xf32>) outs(%c : memref<64x120xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// One of two threads would have two of three panels: all are packed before.
// CHECK-LABEL: func @uneven_panels
// CHECK: memref.alloc() : memref<3x194x32xf32>
// CHECK: kernel.parts 3 {
// CHECK: kernel.parts 2 few {
module attributes {weir.slots = 2 : i64} {
func.func @uneven_panels(%a: memref<64x192xf32>, %b: memref<192x90xf32>, %c: memref<64x90xf32>) {
  %p = memref.alloc() : memref<3x194x32xf32>
  kernel.pack ins(%b : memref<192x90xf32>) outs(%p : memref<3x194x32xf32>) {paired}
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<3x194x32xf32>) outs(%c : memref<64x90xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Where sums wait between parts of the depth, L2 does not hold all rows.
// CHECK-LABEL: func @parts_of_the_depth
// CHECK: memref.alloc() : memref<1x2108x32xf32>
// CHECK-NOT: {alignment = 64 : i64} : memref<1x2108x32xf32>
module attributes {weir.target = {adds_beside = true, fma_rate = 1, l2 = 1048576, features = "+avx512f"}} {
func.func @parts_of_the_depth(%a: memref<112x2106xf32>, %b: memref<2106x32xf32>, %c: memref<112x32xf32>) {
  %p = memref.alloc() : memref<1x2108x32xf32>
  kernel.pack ins(%b : memref<2106x32xf32>) outs(%p : memref<1x2108x32xf32>) {paired}
  kernel.matmul ins(%a, %p : memref<112x2106xf32>, memref<1x2108x32xf32>) outs(%c : memref<112x32xf32>) attributes {paired} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A product of another kind does not take the panels of a pack for pairs inside.
// CHECK-LABEL: func @plain_product
// CHECK: memref.alloc() : memref<1x10x32xf32>
module attributes {weir.slots = 2 : i64} {
func.func @plain_product(%a: memref<64x10xf32>, %b: memref<8x32xf32>, %c: memref<64x32xf32>) {
  %p = memref.alloc() : memref<1x10x32xf32>
  kernel.pack ins(%b : memref<8x32xf32>) outs(%p : memref<1x10x32xf32>) {paired}
  kernel.matmul ins(%a, %p : memref<64x10xf32>, memref<1x10x32xf32>) outs(%c : memref<64x32xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

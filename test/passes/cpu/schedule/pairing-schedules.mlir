// The schedules of products and convolutions by inner-product pairing.

// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules))' | FileCheck %s

// Each of two threads has two tiles. Weights beyond half of L2 are prefetched.
module attributes {weir.slots = 2 : i64} {
// CHECK-LABEL: func @slabs
// CHECK: schedule = #kernel.pairing_schedule<tile_rows = 7, reuse_loads = false, chain = 84, plain_chain = 84, round_chains = 6, row_slabs = 2, depth_parts = 1, pack_inside = false, share = slabs, prefetch = group, prefetch_level = 2, prefetch_result = false>
func.func @slabs(%a: memref<28x768xf32>, %b: memref<13x770x32xf32>, %c: memref<28x400xf32>) {
  kernel.matmul ins(%a, %b : memref<28x768xf32>, memref<13x770x32xf32>) layout <pairing> outs(%c : memref<28x400xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// Five tiles are no equal slabs for two threads: these share the tiles of all panels.
module attributes {weir.slots = 2 : i64} {
// CHECK-LABEL: func @tiles
// CHECK: row_slabs = 1, depth_parts = 1, pack_inside = false, share = tiles, prefetch = none,
func.func @tiles(%a: memref<32x768xf32>, %b: memref<2x770x32xf32>, %c: memref<32x40xf32>) {
  kernel.matmul ins(%a, %b : memref<32x768xf32>, memref<2x770x32xf32>) layout <pairing> outs(%c : memref<32x40xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// A fixed number of slabs excludes tiles as work items.
module attributes {weir.slots = 2 : i64, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "pairing", {row_slabs = 3 : i64}>]} {
// CHECK-LABEL: func @fixed_slabs
// CHECK: row_slabs = 3, depth_parts = 1, pack_inside = false, share = slabs,
func.func @fixed_slabs(%a: memref<32x768xf32>, %b: memref<2x770x32xf32>, %c: memref<32x40xf32>) {
  kernel.matmul ins(%a, %b : memref<32x768xf32>, memref<2x770x32xf32>) layout <pairing> outs(%c : memref<32x40xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// With two slabs, each would read all weights. With parts of the depth, one slab has
// all rows.
// CHECK-LABEL: func @depth_parts
// CHECK: <tile_rows = 7, reuse_loads = false, chain = 60, plain_chain = 84, round_chains = 6, row_slabs = 1, depth_parts = 3, pack_inside = false, share = slabs, prefetch = none,
func.func @depth_parts(%a: memref<112x2106xf32>, %b: memref<1x2108x32xf32>, %c: memref<112x32xf32>) {
  kernel.matmul ins(%a, %b : memref<112x2106xf32>, memref<1x2108x32xf32>) layout <pairing> outs(%c : memref<112x32xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// With two multiply-adds a cycle, loads are reused, and tiles have eight rows. Four
// tiles prefetch rows of a panel with each group of terms.
module attributes {weir.target = #weir.target<features = "+avx512f", l1 = 49152, fma_rate = 2, adds_beside = true>} {
// CHECK-LABEL: func @by_groups
// CHECK: <tile_rows = 8, reuse_loads = true, chain = 84, {{.*}} row_slabs = 1, depth_parts = 1, pack_inside = false, share = slabs, prefetch = group, prefetch_level = 1,
// Each of sixteen tiles prefetches few rows.
// CHECK-LABEL: func @by_tiles
// CHECK: share = slabs, prefetch = tile, prefetch_level = 1,
func.func @by_groups(%a: memref<32x128xf32>, %b: memref<16x130x32xf32>, %c: memref<32x512xf32>) {
  kernel.matmul ins(%a, %b : memref<32x128xf32>, memref<16x130x32xf32>) layout <pairing> outs(%c : memref<32x512xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @by_tiles(%a: memref<128x128xf32>, %b: memref<16x130x32xf32>, %c: memref<128x512xf32>) {
  kernel.matmul ins(%a, %b : memref<128x128xf32>, memref<16x130x32xf32>) layout <pairing> outs(%c : memref<128x512xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// A small convolution is not shared. Few terms have short chains.
// CHECK-LABEL: func @windows
// CHECK: kernel.convolution {{.*}} #kernel.pairing_schedule<tile_rows = 7, reuse_loads = false, chain = 32, {{.*}} share = none,
func.func @windows(%x: memref<1x8x8x10xf32>, %w: memref<1x92x32xf32>, %y: memref<1x4x4x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x10xf32>, memref<1x92x32xf32>) layout <pairing(3, 3)> outs(%y : memref<1x4x4x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// Each of two threads packs two of four panels itself. Three panels would not be
// divided evenly.
module attributes {weir.slots = 2 : i64} {
// CHECK-LABEL: func @panels
// CHECK: row_slabs = 1, depth_parts = 1, pack_inside = true, share = panels, prefetch = none,
// CHECK-LABEL: func @uneven_panels
// CHECK: row_slabs = 2, depth_parts = 1, pack_inside = false, share = slabs,
func.func @panels(%a: memref<64x192xf32>, %w: memref<192x120xf32>, %c: memref<64x120xf32>) {
  %p = memref.alloc() : memref<4x194x32xf32>
  kernel.pack ins(%w : memref<192x120xf32>) layout <pairing> outs(%p : memref<4x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<4x194x32xf32>) layout <pairing> outs(%c : memref<64x120xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @uneven_panels(%a: memref<64x192xf32>, %w: memref<192x90xf32>, %c: memref<64x90xf32>) {
  %p = memref.alloc() : memref<3x194x32xf32>
  kernel.pack ins(%w : memref<192x90xf32>) layout <pairing> outs(%p : memref<3x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<3x194x32xf32>) layout <pairing> outs(%c : memref<64x90xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// The user may fix packing inside anyway.
module attributes {weir.slots = 2 : i64, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "", {pack_inside = true}>]} {
// CHECK-LABEL: func @fixed_panels
// CHECK: row_slabs = 1, depth_parts = 1, pack_inside = true, share = panels, prefetch = none,
func.func @fixed_panels(%a: memref<64x192xf32>, %w: memref<192x90xf32>, %c: memref<64x90xf32>) {
  %p = memref.alloc() : memref<3x194x32xf32>
  kernel.pack ins(%w : memref<192x90xf32>) layout <pairing> outs(%p : memref<3x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<3x194x32xf32>) layout <pairing> outs(%c : memref<64x90xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// Slabs as work items exclude packing inside.
module attributes {weir.slots = 2 : i64, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "", {share = "slabs"}>]} {
// CHECK-LABEL: func @fixed_share
// CHECK: row_slabs = 2, depth_parts = 1, pack_inside = false, share = slabs,
func.func @fixed_share(%a: memref<64x192xf32>, %w: memref<192x120xf32>, %c: memref<64x120xf32>) {
  %p = memref.alloc() : memref<4x194x32xf32>
  kernel.pack ins(%w : memref<192x120xf32>) layout <pairing> outs(%p : memref<4x194x32xf32>)
  kernel.matmul ins(%a, %p : memref<64x192xf32>, memref<4x194x32xf32>) layout <pairing> outs(%c : memref<64x120xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// The sums of three rows fit into 16 registers of AVX2, beside one operand.
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>} {
// CHECK-LABEL: func @few_registers
// CHECK: #kernel.pairing_schedule<tile_rows = 3, reuse_loads = false,
func.func @few_registers(%a: memref<14x96xf32>, %b: memref<1x98x32xf32>, %c: memref<14x32xf32>) {
  kernel.matmul ins(%a, %b : memref<14x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// Products and convolutions in an AMX tile layout get a tiles schedule.

// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules))' | FileCheck %s

// Rows are in even blocks. Their terms are slabs that half of L2 holds, as many for each of
// two threads.
// CHECK-LABEL: func @slabs
// CHECK: #kernel.tiles_schedule<instructions = tiles, tile_rows = 15, block_rows = 30, by_line = false, accumulator_sets = 1, unroll = 1, depth_block = 32, slabs = 4, share = slabs, coarse = true, prefetch = true, prefetch_result = true>
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @slabs(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Threads share panels that L2 does not hold if one slab has all rows.
// CHECK-LABEL: func @panels
// CHECK: tile_rows = 13, block_rows = 26, {{.*}} depth_block = 16, slabs = 1, share = panels, coarse = true

// A kernel in a loop is not shared.
// CHECK-LABEL: func @loop
// CHECK: tile_rows = 13, block_rows = 26, {{.*}} depth_block = 16, slabs = 1, share = none, coarse = false
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @panels(%a: memref<49x512xf32>, %b: memref<64x16x3x2x16x32xbf16>, %c: memref<49x2048xf32>) {
  kernel.matmul ins(%a, %b : memref<49x512xf32>, memref<64x16x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x2048xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @loop(%a: memref<49x512xf32>, %b: memref<64x16x3x2x16x32xbf16>, %c: memref<49x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    kernel.matmul ins(%a, %b : memref<49x512xf32>, memref<64x16x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x2048xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
  }
  return
}
}

// -----

// A tile has results of one image row if rows are long enough; otherwise it has
// positions of all rows. L2 holds the f32 weights of the second kernel, which are not
// prefetched.
// CHECK-LABEL: func @rows_of_image
// CHECK: #kernel.tiles_schedule<instructions = tiles, tile_rows = 14, block_rows = 28, by_line = true, accumulator_sets = 1, unroll = 1, depth_block = 18, slabs = 1, share = slabs, coarse = true, prefetch = true, prefetch_result = true>
// CHECK-LABEL: func @positions
// CHECK: tile_rows = 14, block_rows = 28, by_line = false, {{.*}} prefetch = false
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @rows_of_image(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x2x3x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @positions(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x64x32xf32>, %y: memref<1x7x7x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x64x32xf32>) layout <amx_panels(3, -100, 97)> outs(%y : memref<1x7x7x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Without tile registers dot-product instructions multiply bf16. The sums of one row
// are in four sets, and its weights are not prefetched.
// CHECK-LABEL: func @dots
// CHECK: #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 32, by_line = false, accumulator_sets = 4, unroll = 4, depth_block = 2, slabs = 1, share = none, coarse = false, prefetch = false, prefetch_result = false>
// CHECK-LABEL: func @dots_of_rows
// CHECK: instructions = dots, {{.*}} accumulator_sets = 1, {{.*}} prefetch = true, prefetch_result = false
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @dots(%a: memref<1x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<1x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<1x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @dots_of_rows(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Parameters that the user has fixed stay; the others fit them.
// CHECK-LABEL: func @fixed_rows
// CHECK: tile_rows = 8, block_rows = 16, {{.*}} share = slabs
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {tile_rows = 8 : i64}>]} {
func.func @fixed_rows(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// CHECK-LABEL: func @fixed_dots
// CHECK: instructions = dots, tile_rows = 12, block_rows = 32, {{.*}} unroll = 4
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f,+avx512bf16">, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {instructions = "dots"}>]} {
func.func @fixed_dots(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// A fixed block of up to 16 rows is one tile.
// CHECK-LABEL: func @fixed_block
// CHECK: tile_rows = 16, block_rows = 16,
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {block_rows = 16 : i64}>]} {
func.func @fixed_block(%a: memref<49x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<49x64xf32>) {
  kernel.matmul ins(%a, %b : memref<49x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// A larger one is two.
// CHECK-LABEL: func @fixed_block_of_two
// CHECK: tile_rows = 10, block_rows = 20,
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {block_rows = 20 : i64}>]} {
func.func @fixed_block_of_two(%a: memref<49x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<49x64xf32>) {
  kernel.matmul ins(%a, %b : memref<49x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// The same for the windows of a convolution.
// CHECK-LABEL: func @fixed_block_of_windows
// CHECK: tile_rows = 9, block_rows = 18, by_line = true,
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"Conv_0", "tiles", {block_rows = 18 : i64}>]} {
func.func @fixed_block_of_windows(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x2x3x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("Conv_0")
  return
}
}

// -----

// Several sets of sums that the user has fixed leave registers for fewer rows.
// CHECK-LABEL: func @fixed_sets
// CHECK: instructions = dots, tile_rows = 7, block_rows = 32, by_line = false, accumulator_sets = 2,
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {accumulator_sets = 2 : i64}>]} {
func.func @fixed_sets(%a: memref<32x64xi32>, %b: memref<2x1x1x2x16x64xi8>, %c: memref<32x64xi32>) {
  kernel.matmul ins(%a, %b : memref<32x64xi32>, memref<2x1x1x2x16x64xi8>) layout <amx> outs(%c : memref<32x64xi32>) {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  } loc("MatMul_0")
  return
}
}

// Fixed parameters that a kernel in an AMX tile layout cannot have. The other parameters are
// chosen first to fit them, also if they are too large to multiply.

// RUN: not weir-opt %s -split-input-file --weir-choose-schedules 2>&1 | FileCheck %s

// CHECK: error: loc("MatMul_0"): 'kernel.matmul' op tile_rows is 2147483647, more than the 16 rows of a tile register
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "tiles", {tile_rows = 2147483647 : i64}>]} {
func.func @fixed(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// CHECK: error: loc("MatMul_1"): 'kernel.matmul' op block_rows is 2147483647, not one or two tiles of 16 rows
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_1", "tiles", {block_rows = 2147483647 : i64}>]} {
func.func @fixed(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_1")
  return
}
}

// -----

// CHECK: error: loc("MatMul_2"): 'kernel.matmul' op slabs is 2147483647, more than the 10 blocks of 30 rows
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_2", "tiles", {slabs = 2147483647 : i64}>]} {
func.func @fixed(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_2")
  return
}
}

// -----

// CHECK: error: loc("MatMul_3"): --schedule: instructions is "vectors", not one of tiles, dots
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_3", "tiles", {instructions = "vectors"}>]} {
func.func @vectors(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_3")
  return
}
}

// -----

// CHECK: error: {{.*}} share is not none, but the kernel is in a loop
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @loop(%a: memref<49x512xf32>, %b: memref<64x16x3x2x16x32xbf16>, %c: memref<49x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    kernel.matmul ins(%a, %b : memref<49x512xf32>, memref<64x16x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x2048xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 13, block_rows = 26, depth_block = 16, share = panels>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
  }
  return
}
}

// -----

// One slab would spill the partial sums of all rows, once for each of eight threads.
// CHECK: error: loc("MatMul_5"): 'kernel.matmul' op spills 13107200000 bytes of partial sums of a slab, more than the limit of 2147483648
module attributes {weir.slots = 8 : i64, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_5", "tiles", {depth_block = 1 : i64, slabs = 1 : i64, share = "panels"}>]} {
func.func @spilled(%a: memref<100000x1024xf32>, %b: memref<1024x32x3x2x16x32xbf16>, %c: memref<100000x32768xf32>) {
  kernel.matmul ins(%a, %b : memref<100000x1024xf32>, memref<1024x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<100000x32768xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_5")
  return
}
}

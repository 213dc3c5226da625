// Schedules print all parameters; missing parameters get their defaults.

// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: func @printed
// CHECK: schedule = #kernel.matmul_schedule<tile_rows = 4, tile_columns = 32, accumulator_sets = 1, unroll = 1, chain = 96, depth_block = 8, depth_slab = 8, block_tiles = 1, share = rows, coarse = false, copy = none, pack_inside = false, prefetch = none, prefetch_level = 2, prefetch_result = false, alternate = false>
func.func @printed(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 4, tile_columns = 32, depth_block = 8, depth_slab = 8, share = rows>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// CHECK: attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_.*", "convolution", {tile_columns = 6 : i64}>]
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_.*", "convolution", {tile_columns = 6 : i64}>]} {
}

// A kernel without results runs no loop: no schedule is wrong for its size.
// CHECK-LABEL: func @empty
// CHECK: schedule = #kernel.pairing_schedule<tile_rows = 7,
// CHECK: schedule = #kernel.dot_schedule<tile_rows = 1,
func.func @empty(%a: memref<0x768xf32>, %b: memref<1x770x32xf32>, %c: memref<0x32xf32>, %d: memref<2x768x1xf32>, %e: memref<0x2xf32>) {
  kernel.matmul ins(%a, %b : memref<0x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<0x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, row_slabs = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  kernel.matmul ins(%a, %d : memref<0x768xf32>, memref<2x768x1xf32>) layout <k_major> outs(%e : memref<0x2xf32>) attributes {schedule = #kernel.dot_schedule<accumulator_sets = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

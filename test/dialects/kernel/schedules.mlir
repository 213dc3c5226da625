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

// Each kernel on buffers gets a schedule, which depends on its shapes and on the target.

// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules))' | FileCheck %s

// AVX-512 with one multiply-add a cycle has low tiles of two vectors. Rows beyond one tile
// reuse blocks of panels, and threads share the rows of a large product.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>} {
// CHECK-LABEL: func @tall
// CHECK: schedule = #kernel.matmul_schedule<tile_rows = 5, tile_columns = 32, {{.*}} share = rows
func.func @tall(%a: memref<1024x512xf32>, %b: memref<2x512x32xf32>, %c: memref<1024x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1024x512xf32>, memref<2x512x32xf32>) layout <panels(32)> outs(%c : memref<1024x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// Two multiply-adds a cycle need the highest tiles; the rows of one tile of a few rows are
// shared by columns.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 2>} {
// CHECK-LABEL: func @high
// CHECK: #kernel.matmul_schedule<tile_rows = 14, tile_columns = 32
// CHECK-LABEL: func @flat
// CHECK: share = columns
func.func @high(%a: memref<1024x512xf32>, %b: memref<2x512x32xf32>, %c: memref<1024x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1024x512xf32>, memref<2x512x32xf32>) layout <panels(32)> outs(%c : memref<1024x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @flat(%a: memref<4x1024xf32>, %b: memref<32x1024x32xf32>, %c: memref<4x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<4x1024xf32>, memref<32x1024x32xf32>) layout <panels(32)> outs(%c : memref<4x1024xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// 16 registers of AVX2 hold tiles of three rows by four vectors. A small product is not
// shared.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 256, vector_registers = 16>} {
// CHECK-LABEL: func @few_registers
// CHECK: #kernel.matmul_schedule<tile_rows = 3, tile_columns = 32, {{.*}} share = none
func.func @few_registers(%a: memref<12x16xf32>, %b: memref<1x16x32xf32>, %c: memref<12x32xf32>) {
  kernel.matmul ins(%a, %b : memref<12x16xf32>, memref<1x16x32xf32>) layout <panels(32)> outs(%c : memref<12x32xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// A kernel that has a schedule keeps it. A kernel in a loop is not shared.
// CHECK-LABEL: func @keeps
// CHECK: kernel.matmul {{.*}} {schedule = #kernel.matmul_schedule<tile_rows = 3, tile_columns = 16, {{.*}} depth_block = 16
// CHECK: scf.for
// CHECK: kernel.matmul {{.*}} share = none
func.func @keeps(%a: memref<512x512xf32>, %b: memref<16x512x32xf32>, %c: memref<512x512xf32>) {
  kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<16x512x32xf32>) layout <panels(32)> outs(%c : memref<512x512xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 3, tile_columns = 16, depth_block = 16, depth_slab = 512>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    kernel.matmul ins(%a, %b : memref<512x512xf32>, memref<16x512x32xf32>) layout <panels(32)> outs(%c : memref<512x512xf32>) {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    }
  }
  return
}

// -----

// Parameters that the user has fixed stay; the others fit them. The node's whole name must
// match, and a later entry wins.
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Mat.*", "", {tile_rows = 4 : i64}>, #kernel.schedule_override<"Mat", "", {tile_rows = 1 : i64}>, #kernel.schedule_override<"MatMul_0", "matmul", {tile_columns = 16 : i64}>]} {
// CHECK-LABEL: func @fixed
// CHECK: #kernel.matmul_schedule<tile_rows = 4, tile_columns = 16,
func.func @fixed(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// A convolution's tile has adjacent results of a row. A border of zeros needs a copy of
// the image.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>} {
// CHECK-LABEL: func @image
// CHECK: #kernel.convolution_schedule<tile_rows = 1, tile_columns = 14, tile_channels = 32, {{.*}} copy = image, {{.*}} share = rows
func.func @image(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// Each channel of a depthwise convolution has its own sum, in tiles of one row.
// CHECK-LABEL: func @depthwise
// CHECK: #kernel.line_schedule<tile_columns = 7, tile_channels = 16, share = rows>
// CHECK-LABEL: func @strided
// CHECK: #kernel.line_schedule<tile_columns = 4, tile_channels = 32, share = none>
func.func @depthwise(%x: memref<1x56x56x96xf32>, %w: memref<3x3x96xf32>, %y: memref<1x56x56x96xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x56x56x96xf32>, memref<3x3x96xf32>) outs(%y : memref<1x56x56x96xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @strided(%x: memref<1x16x16x96xi8>, %w: memref<3x3x96xi8>, %y: memref<1x8x8x96xi32>) {
  kernel.depthwise ins(%x, %w : memref<1x16x16x96xi8>, memref<3x3x96xi8>) outs(%y : memref<1x8x8x96xi32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, unsigned_x} {
  ^bb0(%s: i32):
    kernel.yield %s : i32
  }
  return
}
}

// -----

// Threads share the blocks of a Winograd convolution. With few input tiles and a large filter
// they share the panels of a block. A transform in several groups, of products with different
// depths, has values for each.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>} {
// CHECK-LABEL: func @blocks
// CHECK: #kernel.winograd_schedule<input_tiles = 28, share = blocks, chain = 16, tile_rows = 5, tile_columns = 32,
// CHECK-LABEL: func @panels
// CHECK: #kernel.winograd_schedule<input_tiles = 4, share = panels,
// CHECK-LABEL: func @groups
// CHECK: #kernel.winograd_schedule<input_tiles = 1, share = none, chain = 16, {{.*}} depth_block = [64, 32, 16], depth_slab = [64, 32, 16],
func.func @blocks(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @panels(%x: memref<1x7x7x512xf32>, %w: memref<16x49x512x32xf32>, %y: memref<1x7x7x512xf32>) {
  kernel.winograd ins(%x, %w : memref<1x7x7x512xf32>, memref<16x49x512x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x7x7x512xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @groups(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// A fixed parameter of the products is for all groups, or has a value for each. Threads that
// share panels need one block.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>, kernel.schedule_overrides = [#kernel.schedule_override<"Conv_0", "winograd", {share = "panels", tile_rows = 3 : i64}>, #kernel.schedule_override<"Conv_1", "", {tile_rows = [1, 2, 3]}>]} {
// CHECK-LABEL: func @all
// CHECK: #kernel.winograd_schedule<input_tiles = 196, share = panels, {{.*}} tile_rows = 3, tile_columns = 32,
// CHECK-LABEL: func @each
// CHECK: #kernel.winograd_schedule<{{.*}} tile_rows = [1, 2, 3],
func.func @all(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_0")
  return
}
func.func @each(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_1")
  return
}
}

// -----

// The products of one block and one panel are too few to share the convolution, but their
// weights are worth it. Results of a dynamic size are conditional, and not shared.
module attributes {weir.slots = 4 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>} {
// CHECK-LABEL: func @one_step
// CHECK: #kernel.winograd_schedule<input_tiles = 1, share = none, {{.*}} product_share = batches,
// CHECK-LABEL: func @dynamic_step
// CHECK: #kernel.winograd_schedule<input_tiles = 1, share = none, {{.*}} product_share = none,
func.func @one_step(%x: memref<1x4x4x512xf32>, %w: memref<1x16x512x32xf32>, %y: memref<1x2x2x32xf32>) {
  kernel.winograd ins(%x, %w : memref<1x4x4x512xf32>, memref<1x16x512x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x2x2x32xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
func.func @dynamic_step(%x: memref<1x4x4x512xf32>, %w: memref<1x16x512x32xf32>, %n: memref<i64>, %y: memref<1x2x2x32xf32>) attributes {weir.kernel, weir.inputs = 3 : i64, weir.sizes = [[array<i64: 1, -1>, array<i64: 2, -1>, array<i64: 2, 2>, array<i64: 32, -1>]]} {
  kernel.winograd ins(%x, %w : memref<1x4x4x512xf32>, memref<1x16x512x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x2x2x32xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// Threads that would share a single panel share its products.
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<vector_bits = 512, fma_rate = 1>} {
// CHECK-LABEL: func @one_panel
// CHECK: #kernel.winograd_schedule<input_tiles = 64, share = panels, {{.*}} product_share = batches,
func.func @one_panel(%x: memref<1x16x16x512xf32>, %w: memref<1x16x512x32xf32>, %y: memref<1x16x16x32xf32>) {
  kernel.winograd ins(%x, %w : memref<1x16x16x512xf32>, memref<1x16x512x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x16x16x32xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// Schedules that do not fit their surroundings.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules -verify-diagnostics

func.func @blocks(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{share is row_blocks, but the kernel is not part of a row-wise fusion}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, depth_block = 64, depth_slab = 64, share = row_blocks>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @packs(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{pack_inside is true, but no kernel.pack for this kernel alone comes before it}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, depth_block = 64, depth_slab = 64, pack_inside = true>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @loop(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{share is not none, but the kernel is in a loop}}
    kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, depth_block = 64, depth_slab = 64, share = rows>} {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    }
  }
  return
}

// -----

func.func @dynamic_product_share(%x: memref<1x4x4x512xf32>, %w: memref<1x16x512x32xf32>, %n: memref<i64>, %y: memref<1x2x2x32xf32>) attributes {weir.kernel, weir.inputs = 3 : i64, weir.sizes = [[array<i64: 1, -1>, array<i64: 2, -1>, array<i64: 2, 2>, array<i64: 32, -1>]]} {
  // expected-error @below {{product_share is not none, but the size of the results is dynamic}}
  kernel.winograd ins(%x, %w : memref<1x4x4x512xf32>, memref<1x16x512x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x2x2x32xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<tile_columns = 32, depth_block = 512, depth_slab = 512, product_share = batches>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

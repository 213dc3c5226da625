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

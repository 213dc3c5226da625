// Schedules of dot products and of inner-product pairing that do not fit their surroundings.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules -verify-diagnostics

func.func @dots(%a: memref<33x40xf32>, %b: memref<1x40x1xf32>, %c: memref<33x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{share is not none, but the kernel is in a loop}}
    kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<1x40x1xf32>) layout <k_major> outs(%c : memref<33x1xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 16, share = tiles>} {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    }
  }
  return
}

// -----

func.func @pairing(%a: memref<14x96xf32>, %b: memref<1x98x32xf32>, %c: memref<14x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{share is not none, but the kernel is in a loop}}
    kernel.matmul ins(%a, %b : memref<14x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, share = tiles>} {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    }
  }
  return
}

// -----

func.func @packs(%a: memref<14x96xf32>, %b: memref<1x98x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{pack_inside is true, but no kernel.pack for this kernel alone comes before it}}
  kernel.matmul ins(%a, %b : memref<14x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, pack_inside = true>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// The verifier refuses these schedules of inner-product pairing for their kernels.

// RUN: weir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{share is "rows", not one of none, slabs, tiles, panels}}
#s = #kernel.pairing_schedule<share = rows>

// -----

// expected-error @below {{prefetch is "panel", not one of none, tile, group}}
#s = #kernel.pairing_schedule<prefetch = panel>

// -----

func.func @registers(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{a tile of 16 rows by 2 vectors needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 16>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

module attributes {weir.target = #weir.target<vector_registers = 64>} {
func.func @lanes(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{tile_rows is 20, more than the 16 lanes of a vector}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 20>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

func.func @chain(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{chain is 5, less than the 6 terms of a group}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, chain = 5>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @slabs(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{row_slabs is 3, more than the 2 tiles of all rows}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, row_slabs = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @depths(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{depth_parts is 2, more than the 1 rounds of chains of the depth}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, depth_parts = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @level(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{prefetch_level is 3, not 1 or 2}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, prefetch_level = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @rows_of_panel(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{prefetch is tile, but a tile would fetch 768 lines at once, more than 64}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, prefetch = tile>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @tiles(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{share is tiles, so row_slabs is 1, not 2}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, row_slabs = 2, share = tiles>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @panels(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{share is panels, but pack_inside is false}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, share = panels>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @packed_slabs(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{pack_inside is true, so row_slabs and depth_parts are 1, not 2 and 1}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, row_slabs = 2, pack_inside = true>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @packed_parts(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{pack_inside is true, so row_slabs and depth_parts are 1, not 1 and 2}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, chain = 36, round_chains = 2, depth_parts = 2, pack_inside = true>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @packed_share(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{pack_inside is true, so share is none or panels, not slabs}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, pack_inside = true, share = slabs>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @packed_prefetch(%a: memref<14x768xf32>, %b: memref<1x770x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{pack_inside is true, so prefetch is none, not group}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x770x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, pack_inside = true, prefetch = group>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @algorithm(%a: memref<14x768xf32>, %b: memref<1x768x32xf32>, %c: memref<14x32xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.pairing_schedule is for}}
  kernel.matmul ins(%a, %b : memref<14x768xf32>, memref<1x768x32xf32>) layout <panels(32)> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @windows(%x: memref<1x8x8x20xf32>, %w: memref<1x182x32xf32>, %y: memref<1x4x4x32xf32>) {
  // expected-error @below {{pack_inside is true, but only a kernel.matmul packs panels}}
  kernel.convolution ins(%x, %w : memref<1x8x8x20xf32>, memref<1x182x32xf32>) layout <pairing(3, 3)> outs(%y : memref<1x4x4x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, schedule = #kernel.pairing_schedule<tile_rows = 7, pack_inside = true>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

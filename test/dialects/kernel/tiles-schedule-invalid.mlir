// The verifier refuses these schedules of weights in the AMX tile layout.

// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @algorithm(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.tiles_schedule is for}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 4, block_rows = 4>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @no_tiles(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{instructions is tiles, but the target has no tile registers for its layout}}
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 16, block_rows = 32, depth_block = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Dot-product instructions multiply no terms of split weights.
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f,+avx512bf16">} {
func.func @split(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{instructions is dots, but the target has no dot products for its layout}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 32>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Windows use no dot-product instructions.
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f,+avx512bf16">} {
func.func @windows(%x: memref<1x14x14x64xbf16>, %w: memref<2x3x3x2x1x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  // expected-error @below {{instructions is dots, but the target has no dot products for its layout}}
  kernel.convolution ins(%x, %w : memref<1x14x14x64xbf16>, memref<2x3x3x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 32>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @line(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{by_line is true, but only the results of a convolution have lines}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 16, block_rows = 32, by_line = true>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @tile_rows(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{tile_rows is 17, more than the 16 rows of a tile register}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 17, block_rows = 17>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @block_rows(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{block_rows is 24, not one or two tiles of 8 rows}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 8, block_rows = 24>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @sets(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{accumulator_sets is 2 and unroll is 1, but both are 1 for tile registers}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 16, block_rows = 32, accumulator_sets = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @unroll(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{accumulator_sets is 1 and unroll is 4, but both are 1 for tile registers}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 16, block_rows = 32, unroll = 4>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @dot_block(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{block_rows is 12, but blocks for dot products have 32}}
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 12>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @dot_unroll(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{unroll is 3, not a divisor of the 16 lines of a tile}}
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 32, unroll = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @dot_sets(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{accumulator_sets is 3, not a power of two}}
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 4, block_rows = 32, accumulator_sets = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @dot_registers(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{a tile of 11 rows by 2 vectors in 2 sets needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 12, block_rows = 32, accumulator_sets = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @slabs(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{slabs is 9, more than the 8 blocks of 8 rows}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 8, block_rows = 8, slabs = 9>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Each image has this number of slabs.
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @strips(%x: memref<1x14x14x64xbf16>, %w: memref<2x3x3x2x1x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  // expected-error @below {{slabs is 8, more than the 7 blocks of 28 rows}}
  kernel.convolution ins(%x, %w : memref<1x14x14x64xbf16>, memref<2x3x3x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.tiles_schedule<tile_rows = 14, block_rows = 28, by_line = true, slabs = 8>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @terms(%a: memref<64x0xf32>, %b: memref<2x0x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error @below {{has sums without terms}}
  kernel.matmul ins(%a, %b : memref<64x0xf32>, memref<2x0x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 16, block_rows = 32>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

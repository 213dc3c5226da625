// The verifier refuses these schedules: for any kernel, or for the kernel with them.

// RUN: weir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{no parameter of the schedule is called 'tile_row'; did you mean 'tile_rows'?}}
#s = #kernel.matmul_schedule<tile_row = 4>

// -----

// expected-error @below {{tile_rows is 0 : i64, not a positive number}}
#s = #kernel.matmul_schedule<tile_rows = 0>

// -----

// expected-error @below {{share is "threads", not one of none, batches, row_blocks, rows, columns}}
#s = #kernel.matmul_schedule<share = threads>

// -----

// expected-error @below {{coarse is 1 : i64, not true or false}}
#s = #kernel.matmul_schedule<coarse = 1>

// -----

// expected-error @below {{parameter 'tile_rows' is there twice}}
#s = #kernel.matmul_schedule<tile_rows = 1, tile_rows = 2>

// -----

func.func @lanes(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{tile_columns is 24, not a multiple of the 16 lanes of a vector}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 4, tile_columns = 24, depth_block = 8, depth_slab = 8>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @panel(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{tile_columns is 48, and panels have 32 columns}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 4, tile_columns = 48, depth_block = 8, depth_slab = 8>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @registers(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{a tile of 16 rows by 2 vectors needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 16, tile_columns = 32, depth_block = 8, depth_slab = 8>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @sets(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{accumulator_sets is 3, not a power of two}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, accumulator_sets = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @level(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{prefetch_level is 3, not 1 or 2}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, prefetch_level = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @slab(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{depth_slab is 6, not a multiple of depth_block, 4}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, depth_block = 4, depth_slab = 6>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @kept(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf16>) {
  // expected-error @below {{depth_block is 4 of 8, but the result has no}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf16>) attributes {schedule = #kernel.matmul_schedule<tile_columns = 32, depth_block = 4, depth_slab = 8>} {
  ^bb0(%sum: f32):
    %v = arith.truncf %sum : f32 to f16
    kernel.yield %v : f16
  }
  return
}

// -----

func.func @algorithm(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.matmul_schedule is for}}
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.matmul_schedule<tile_rows = 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @plain_algorithm(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.convolution_schedule is for}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.convolution_schedule<tile_channels = 32>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @line_lanes(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error @below {{tile_channels is 20, not a multiple of the 16 lanes of a vector}}
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.line_schedule<tile_columns = 7, tile_channels = 20>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @line_registers(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error @below {{a tile of 32 results by 16 channels needs more than 32 registers}}
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.line_schedule<tile_columns = 32, tile_channels = 16>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_lanes(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{tile_channels is 8, not a multiple of the 16 lanes of a vector}}
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_columns = 14, tile_channels = 8, copy = image>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_panel(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{tile_channels is 96, and panels have 32 channels}}
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_columns = 4, tile_channels = 96, copy = image>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_registers(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{a tile of 2 x 8 results by 2 vectors needs more than 32 registers}}
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_rows = 2, tile_columns = 8, tile_channels = 32, copy = image>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_copy(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{copy is none, but its tiles read a border or another type of element}}
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_columns = 14, tile_channels = 32>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_short(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{cannot skip taps: rows of its window are short}}
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_columns = 14, tile_channels = 32, skip_rows = true, copy = image>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_columns(%x: memref<1x56x56x64xf32>, %w: memref<1x3x3x64x32xf32>, %y: memref<1x56x56x32xf32>) {
  // expected-error @below {{cannot skip columns of its window: its rows are one run in memory}}
  kernel.convolution ins(%x, %w : memref<1x56x56x64xf32>, memref<1x3x3x64x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, schedule = #kernel.convolution_schedule<tile_columns = 14, tile_channels = 32, skip_columns = true, copy = image>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// expected-error @below {{kernel.schedule_overrides is for modules and is an array of #kernel.schedule_override}}
module attributes {kernel.schedule_overrides = [1]} {}

// -----

// expected-error @below {{kernel.schedule_overrides is for modules and is an array of #kernel.schedule_override}}
module attributes {kernel.schedule_overrides = 1} {}

// -----

// expected-error @below {{kernel.schedule_overrides is for modules and is an array of #kernel.schedule_override}}
func.func private @override() attributes {kernel.schedule_overrides = []}

// -----

// expected-error @below {{node 'a)(b' is no regular expression: parentheses not balanced}}
#o = #kernel.schedule_override<"a)(b", "matmul", {tile_rows = 1 : i64}>

// -----

// expected-error @below {{node '(a)\1' is no regular expression: back-references are not supported}}
#o = #kernel.schedule_override<"(a)\\1", "matmul", {tile_rows = 1 : i64}>

// -----

// expected-error @below {{no kernel has the algorithm 'gemm'}}
#o = #kernel.schedule_override<"a", "gemm", {tile_rows = 1 : i64}>

// -----

func.func @winograd_values(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  // expected-error @below {{unroll has 2 values for 3 groups of products}}
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>, schedule = #kernel.winograd_schedule<tile_columns = 16, unroll = [1, 2]>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_panels(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{share is panels, which needs all 196 input tiles in one block, but input_tiles is 28}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 28, share = panels, tile_columns = 32>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_panel(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{tile_columns is 64, more than the 32 of a panel}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 28, tile_columns = 64>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_lanes(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{tile_columns is 8, not a multiple of the 16 lanes of a vector}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 28, tile_columns = 8>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_registers(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{a tile of 16 rows by 2 vectors needs more than 32 registers}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 28, tile_rows = 16, tile_columns = 32>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_slab(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{depth_slab is 24, not a multiple of depth_block, 16}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 28, tile_columns = 32, depth_block = 16, depth_slab = 24>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_algorithm(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.line_schedule is for}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.line_schedule<tile_columns = 7, tile_channels = 16>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @no_winograd(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.winograd_schedule is for}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.winograd_schedule<input_tiles = 28>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_product_share(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  // expected-error @below {{product_share is row_blocks, which products of a Winograd convolution do not have}}
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>, schedule = #kernel.winograd_schedule<tile_columns = 16, depth_block = 64, depth_slab = 64, product_share = row_blocks>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

func.func @winograd_both_shares(%x: memref<1x56x56x64xf32>, %w: memref<2x49x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  // expected-error @below {{product_share is not none, but share is blocks, or there are several blocks or panels}}
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x49x64x32xf32>) layout <winograd(32, 4, 4, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>, schedule = #kernel.winograd_schedule<input_tiles = 196, tile_columns = 32, depth_block = 64, depth_slab = 64, product_share = rows>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// Parameters that the user has fixed, and that a kernel cannot have. The name of the node is the
// location of the errors, which -verify-diagnostics cannot expect without a file.

// RUN: not weir-opt %s -split-input-file --weir-choose-schedules 2>&1 | FileCheck %s

// CHECK: error: loc("MatMul_0"): --schedule: no parameter of the schedule is called 'tile_channels'; did you mean 'tile_columns'?
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "", {tile_channels = 16 : i64}>]} {
func.func @unknown(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// CHECK: error: loc("MatMul_1"): 'kernel.matmul' op tile_columns is 20, not a multiple of the 16 lanes of a vector
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_1", "", {tile_columns = 20 : i64}>]} {
func.func @lanes(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_1")
  return
}
}

// -----

// The other parameters are chosen to fit values that are less than a vector, more than all
// registers, or too large to multiply; only then are all checked.

// CHECK: error: loc("MatMul_2"): 'kernel.matmul' op tile_columns is 1, not a multiple of the 8 lanes of a vector
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_2", "", {tile_columns = 1 : i64}>]} {
func.func @narrow(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_2")
  return
}
}

// -----

// CHECK: error: loc("MatMul_3"): 'kernel.matmul' op a tile of 1 rows by 128 vectors needs more than 16 registers
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>, kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_3", "", {tile_columns = 1024 : i64}>]} {
func.func @wide(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_3")
  return
}
}

// -----

// CHECK: error: loc("MatMul_4"): --schedule: tile_columns is 4611686018427387904 : i64, not a positive number of 32 bits
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_4", "", {tile_columns = 4611686018427387904 : i64}>]} {
func.func @huge(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_4")
  return
}
}

// -----

// CHECK: error: loc("MatMul_5"): 'kernel.matmul' op accumulator_sets is 1048576, more than 32 registers
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_5", "", {accumulator_sets = 1048576 : i64}>]} {
func.func @sets(%a: memref<64x64xf32>, %b: memref<2x64x32xf32>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x32xf32>) layout <panels(32)> outs(%c : memref<64x64xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_5")
  return
}
}

// -----

// CHECK: error: loc("Conv_0"): 'kernel.convolution' op tile_channels is 8, not a multiple of the 16 lanes of a vector
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_0", "", {tile_channels = 8 : i64}>]} {
func.func @channels(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_0")
  return
}
}

// -----

// CHECK: error: loc("Conv_1"): 'kernel.convolution' op tile_channels is 1024, and panels have 32 channels
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_1", "", {tile_channels = 1024 : i64}>]} {
func.func @registers(%x: memref<1x56x56x24xf32>, %w: memref<1x3x3x24x32xf32>, %y: memref<1x56x56x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x56x56x24xf32>, memref<1x3x3x24x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_1")
  return
}
}

// -----

// CHECK: error: loc("Conv_2"): --schedule: tile_rows is [1, 0], not a positive number of 32 bits, or an array of such
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_2", "", {tile_rows = [1, 0]}>]} {
func.func @zero(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_2")
  return
}
}

// -----

// CHECK: error: loc("Conv_3"): --schedule: tile_rows is [], not an array with a value for each group of products
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_3", "", {tile_rows = []}>]} {
func.func @empty(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_3")
  return
}
}

// -----

// CHECK: error: loc("Conv_4"): 'kernel.winograd' op tile_rows has 2 values for 3 groups of products
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"Conv_4", "", {tile_rows = [1, 1]}>]} {
func.func @missing(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("Conv_4")
  return
}
}

// -----

// One slab would spill the partial sums of all rows.
// CHECK: error: loc("MatMul_6"): 'kernel.matmul' op spills 13107462144 bytes of partial sums of a slab, more than the limit of 2147483648
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_6", "pairing", {row_slabs = 1 : i64, depth_parts = 2 : i64}>]} {
func.func @spilled(%a: memref<100000x2106xf32>, %b: memref<1024x2108x32xf32>, %c: memref<100000x32768xf32>) {
  kernel.matmul ins(%a, %b : memref<100000x2106xf32>, memref<1024x2108x32xf32>) layout <pairing> outs(%c : memref<100000x32768xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_6")
  return
}
}

// The verifier refuses these schedules of dot products for their kernels.

// RUN: weir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{share is "rows", not one of none, tiles}}
#s = #kernel.dot_schedule<share = rows>

// -----

func.func @lanes(%a: memref<64x32xf32>, %b: memref<20x32x1xf32>, %c: memref<64x20xf32>) {
  // expected-error @below {{tile_columns is 20, more than the 16 lanes of a vector}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<20x32x1xf32>) layout <k_major> outs(%c : memref<64x20xf32>) attributes {schedule = #kernel.dot_schedule<tile_columns = 20>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @sets(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{accumulator_sets is 3, not a power of two}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.dot_schedule<accumulator_sets = 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @many_sets(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{accumulator_sets is 64, more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.dot_schedule<accumulator_sets = 64>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @tile(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{a tile of 16 rows by 2 columns by 2 sets of sums needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 16, tile_columns = 8, accumulator_sets = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @rows(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{a tile of 64 rows by 1 columns by 1 sets of sums needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 2147483647, tile_columns = 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @algorithm(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.dot_schedule is for}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @other_schedule(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{is computed by another algorithm than #kernel.matmul_schedule is for}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.matmul_schedule<tile_rows = 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// One register is for an operand.
func.func @operand(%a: memref<64x32xf32>, %b: memref<2x32x1xf32>, %c: memref<64x2xf32>) {
  // expected-error @below {{a tile of 16 rows by 2 columns by 1 sets of sums needs more than 32 registers}}
  kernel.matmul ins(%a, %b : memref<64x32xf32>, memref<2x32x1xf32>) layout <k_major> outs(%c : memref<64x2xf32>) attributes {schedule = #kernel.dot_schedule<tile_rows = 16, tile_columns = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// The schedules of products in the K-major layout.

// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules))' | FileCheck %s

// With one row, a tile has as many columns as a vector has lanes. With fewer columns,
// it has several sets of sums.
// CHECK-LABEL: func @row
// CHECK: schedule = #kernel.dot_schedule<tile_rows = 1, tile_columns = 16, accumulator_sets = 4, chain = 96, share = none>
func.func @row(%a: memref<1x130xf32>, %b: memref<2x130x1xf32>, %c: memref<1x2xf32>) {
  kernel.matmul ins(%a, %b : memref<1x130xf32>, memref<2x130x1xf32>) layout <k_major> outs(%c : memref<1x2xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// A short row has no more sets than vectors.
// CHECK-LABEL: func @short_row
// CHECK: #kernel.dot_schedule<tile_rows = 1, tile_columns = 16, accumulator_sets = 2,
func.func @short_row(%a: memref<1x40xf32>, %b: memref<2x40x1xf32>, %c: memref<1x2xf32>) {
  kernel.matmul ins(%a, %b : memref<1x40xf32>, memref<2x40x1xf32>) layout <k_major> outs(%c : memref<1x2xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// Several rows fill the registers of a tile: one set of sums is enough.
// CHECK-LABEL: func @rows
// CHECK: #kernel.dot_schedule<tile_rows = 16, tile_columns = 1, accumulator_sets = 1, chain = 96, share = none>
func.func @rows(%a: memref<33x40xf32>, %b: memref<1x40x1xf32>, %c: memref<33x1xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<1x40x1xf32>) layout <k_major> outs(%c : memref<33x1xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// The rows of a batch that shares its right side are the rows of one product.
// CHECK-LABEL: func @joined
// CHECK: #kernel.dot_schedule<tile_rows = 8, tile_columns = 2, accumulator_sets = 1,
func.func @joined(%a: memref<4x1x40xf32>, %b: memref<2x40x1xf32>, %c: memref<4x1x2xf32>) {
  kernel.matmul ins(%a, %b : memref<4x1x40xf32>, memref<2x40x1xf32>) layout <k_major> outs(%c : memref<4x1x2xf32>) attributes {shared} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// A large product is shared, unless it is in a loop.
// CHECK-LABEL: func @large
// CHECK: #kernel.dot_schedule<tile_rows = 1, tile_columns = 16, accumulator_sets = 1, chain = 96, share = tiles>
// CHECK: scf.for
// CHECK: #kernel.dot_schedule<{{.*}} share = none>
func.func @large(%a: memref<3x1x6400xf32>, %b: memref<3x34x6400x1xf32>, %c: memref<3x1x34xf32>) {
  kernel.matmul ins(%a, %b : memref<3x1x6400xf32>, memref<3x34x6400x1xf32>) layout <k_major> outs(%c : memref<3x1x34xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    kernel.matmul ins(%a, %b : memref<3x1x6400xf32>, memref<3x34x6400x1xf32>) layout <k_major> outs(%c : memref<3x1x34xf32>) {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    }
  }
  return
}

// -----

// AVX2 has 16 registers.
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>} {
// CHECK-LABEL: func @few_registers
// CHECK: #kernel.dot_schedule<tile_rows = 2, tile_columns = 4, accumulator_sets = 1, chain = 128, share = none>
func.func @few_registers(%a: memref<33x40xf32>, %b: memref<20x40x1xf32>, %c: memref<33x20xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<20x40x1xf32>) layout <k_major> outs(%c : memref<33x20xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
}

// -----

// The other parameters fit one that the user has fixed.
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "dot", {tile_columns = 4 : i64}>]} {
// CHECK-LABEL: func @fixed
// CHECK: #kernel.dot_schedule<tile_rows = 4, tile_columns = 4, accumulator_sets = 1,
func.func @fixed(%a: memref<33x40xf32>, %b: memref<20x40x1xf32>, %c: memref<33x20xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<20x40x1xf32>) layout <k_major> outs(%c : memref<33x20xf32>) {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } loc("MatMul_0")
  return
}
}

// -----

// Rows that the user has fixed leave registers for fewer columns, and so do sets of sums.
// CHECK-LABEL: func @fixed_rows
// CHECK: #kernel.dot_schedule<tile_rows = 8, tile_columns = 2, accumulator_sets = 1,
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "dot", {tile_rows = 8 : i64}>]} {
func.func @fixed_rows(%a: memref<33x40xf32>, %b: memref<8x40x1xf32>, %c: memref<33x8xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<8x40x1xf32>) layout <k_major> outs(%c : memref<33x8xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// Four sets of sums.
// CHECK-LABEL: func @fixed_sets
// CHECK: #kernel.dot_schedule<tile_rows = 1, tile_columns = 4, accumulator_sets = 4,
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "dot", {accumulator_sets = 4 : i64}>]} {
func.func @fixed_sets(%a: memref<33x40xf32>, %b: memref<8x40x1xf32>, %c: memref<33x8xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<8x40x1xf32>) layout <k_major> outs(%c : memref<33x8xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// -----

// Four sets and two columns leave registers for two rows.
// CHECK-LABEL: func @fixed_sets_of_two_columns
// CHECK: #kernel.dot_schedule<tile_rows = 2, tile_columns = 2, accumulator_sets = 4,
module attributes {kernel.schedule_overrides = [#kernel.schedule_override<"MatMul_0", "dot", {accumulator_sets = 4 : i64}>]} {
func.func @fixed_sets_of_two_columns(%a: memref<33x40xf32>, %b: memref<2x40x1xf32>, %c: memref<33x2xf32>) {
  kernel.matmul ins(%a, %b : memref<33x40xf32>, memref<2x40x1xf32>) layout <k_major> outs(%c : memref<33x2xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } loc("MatMul_0")
  return
}
}

// A pool computes tiles of adjacent results.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The loop over the window skips rows outside of x, and the code skips columns outside
// of it: the first result has two of three columns. The sums are divided by the number
// of elements in the window.
// CHECK-LABEL: func @mean
// CHECK: %[[HIGH:.*]] = arith.minsi %{{.*}}, %c3
// CHECK: scf.for %{{.*}} = %[[LOW:.*]] to %[[HIGH]]
// CHECK-COUNT-7: arith.addf {{.*}} : vector<16xf32>
// CHECK: %[[ROWS:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %c2
// CHECK: arith.sitofp
// CHECK: arith.divf {{.*}} : vector<16xf32>
// CHECK: arith.muli %[[ROWS]], %c3
// CHECK-NOT: arith.maximumf
module attributes {weir.target = #weir.target<>} {
  func.func @mean(%x: memref<1x9x3x16xf32>, %y: memref<1x9x3x16xf32>) {
    kernel.pool ins(%x : memref<1x9x3x16xf32>) outs(%y : memref<1x9x3x16xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, window = array<i64: 3, 3>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A pixel in the windows of two results is read once and multiplied by zero once. If
// that makes a NaN, a second version of the tile uses comparisons, which keep the NaN.
// CHECK-LABEL: func @largest
// CHECK: %[[MADE:.*]]:3 = scf.for
// CHECK-COUNT-3: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[MADE]]#2, %[[MADE]]#2
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[NAN]]
// CHECK: %[[OUT:.*]]:2 = scf.if %[[ANY]]
// CHECK: scf.for
// CHECK: arith.cmpf uno
// CHECK: } else {
// CHECK: scf.yield %[[MADE]]#0, %[[MADE]]#1
// CHECK: vector.store %[[OUT]]#0
module attributes {weir.target = #weir.target<>} {
  func.func @largest(%x: memref<1x4x3x16xf32>, %y: memref<1x3x2x16xf32>) {
    kernel.pool ins(%x : memref<1x4x3x16xf32>) outs(%y : memref<1x3x2x16xf32>) attributes {dilations = array<i64: 1, 1>, largest, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} {
    ^bb0(%most: f32):
      kernel.yield %most : f32
    }
    return
  }
}

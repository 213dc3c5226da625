// RUN: weir-opt %s --weir-lower-extremes | FileCheck %s

// f16 values are compared, with NaN of either operand first.
// CHECK-LABEL: func.func @f16
// CHECK-SAME: %[[X:.*]]: f16, %[[Y:.*]]: f16
// CHECK: %[[GT:.*]] = arith.cmpf ugt, %[[X]], %[[Y]] : f16
// CHECK: %[[M:.*]] = arith.select %[[GT]], %[[X]], %[[Y]] : f16
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[Y]], %[[Y]] : f16
// CHECK: arith.select %[[NAN]], %[[Y]], %[[M]] : f16
func.func @f16(%x: f16, %y: f16) -> f16 {
  %m = arith.maximumf %x, %y : f16
  return %m : f16
}

// Widened f16 values are compared, too, because LLVM would narrow the operation again.
// CHECK-LABEL: func.func @widened
// CHECK-NOT: arith.minimumf
// CHECK: arith.cmpf ult
func.func @widened(%x: bf16, %y: f32) -> bf16 {
  %w = arith.extf %x : bf16 to f32
  %m = arith.minimumf %w, %y : f32
  %r = arith.truncf %m : f32 to bf16
  return %r : bf16
}

// f32 stays.
// CHECK-LABEL: func.func @single
// CHECK: arith.minimumf
func.func @single(%p: f32, %q: f32) -> f32 {
  %n = arith.minimumf %p, %q : f32
  return %n : f32
}

// A choice by a constant, which is also that for NaN.
// CHECK-LABEL: func.func @choice
// CHECK-SAME: %[[X:.*]]: f32, %[[V:.*]]: vector<4xf64>
func.func @choice(%x: f32, %v: vector<4xf64>) -> (f32, f32, vector<4xf64>) {
  %zero = arith.constant 0.0 : f32
  %top = arith.constant 255.0 : f32
  %ones = arith.constant dense<1.0> : vector<4xf64>
  // CHECK: arith.maxnumf %[[X]], %{{.*}} : f32
  %above = arith.cmpf ogt, %x, %zero : f32
  %low = arith.select %above, %x, %zero : f32
  // CHECK: arith.minnumf %[[X]], %{{.*}} : f32
  %over = arith.cmpf uge, %x, %top : f32
  %high = arith.select %over, %top, %x : f32
  // CHECK: arith.minnumf %[[V]], %{{.*}} : vector<4xf64>
  %less = arith.cmpf olt, %v, %ones : vector<4xf64>
  %most = arith.select %less, %v, %ones : vector<4xi1>, vector<4xf64>
  return %low, %high, %most : f32, f32, vector<4xf64>
}

// A choice that passes NaN on, of which a zero has another sign, or by a number that is no
// constant stays.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: arith.maxnumf
// CHECK-NOT: arith.minnumf
// CHECK-COUNT-3: arith.select
func.func @kept(%x: f32, %y: f32) -> (f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %below = arith.cmpf olt, %x, %zero : f32
  %relu = arith.select %below, %zero, %x : f32
  %least = arith.select %below, %x, %zero : f32
  %greater = arith.cmpf ogt, %x, %y : f32
  %most = arith.select %greater, %x, %y : f32
  return %relu, %least, %most : f32, f32, f32
}

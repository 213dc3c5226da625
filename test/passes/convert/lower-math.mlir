// RUN: weir-opt %s --weir-lower-math | FileCheck %s

// exp(x) - 1 would lose all digits near 0.
// CHECK-LABEL: func.func @near_zero
// CHECK: call @expm1f
// CHECK: call @log1p(
func.func @near_zero(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.expm1 %x : f32
  %b = math.log1p %y : f64
  return %a, %b : f32, f64
}

// Functions that LLVM has stay.
// CHECK-LABEL: func.func @kept
// CHECK: math.exp
// CHECK: math.floor
func.func @kept(%x: f32) -> f32 {
  %a = math.exp %x : f32
  %b = math.floor %a : f32
  return %b : f32
}

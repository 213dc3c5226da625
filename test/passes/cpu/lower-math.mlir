// RUN: weir-opt %s --weir-lower-math | FileCheck %s

// exp(x) - 1 would have no digit left near 0.
// CHECK-LABEL: func.func @near_zero
// CHECK: call @expm1(
// CHECK: call @log1p(
func.func @near_zero(%x: f64, %y: f64) -> (f64, f64) {
  %a = math.expm1 %x : f64
  %b = math.log1p %y : f64
  return %a, %b : f64, f64
}

// Of f32, arithmetic that vectorizes, and no call.
// CHECK-LABEL: func.func @expanded
// CHECK-NOT: call
// CHECK-NOT: math.exp
// CHECK-NOT: math.fma
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: return
func.func @expanded(%x: f32) -> (f32, f32, f32, f32) {
  %a = math.exp %x : f32
  %b = math.expm1 %x : f32
  %c = math.tanh %x : f32
  %d = math.log %x : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @vector
// CHECK-NOT: math.exp
// CHECK: arith.shli %{{.*}} : vector<16xi32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %a = math.exp %x : vector<16xf32>
  return %a : vector<16xf32>
}

// What LLVM has stays.
// CHECK-LABEL: func.func @kept
// CHECK: math.sin
// CHECK: math.floor
func.func @kept(%x: f32) -> f32 {
  %a = math.sin %x : f32
  %b = math.floor %a : f32
  return %b : f32
}

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

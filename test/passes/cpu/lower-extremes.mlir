// RUN: weir-opt %s --weir-lower-extremes | FileCheck %s

// A half is widened, f32 stays.
// CHECK-LABEL: func.func @extremes
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[Y:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[M:.*]] = arith.maximumf %[[X]], %[[Y]] : f32
// CHECK: arith.truncf %[[M]] : f32 to f16
// CHECK: arith.minimumf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: truncf
func.func @extremes(%x: f16, %y: f16, %p: f32, %q: f32) -> (f16, f32) {
  %m = arith.maximumf %x, %y : f16
  %n = arith.minimumf %p, %q : f32
  return %m, %n : f16, f32
}

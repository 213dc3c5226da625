// RUN: weir-opt %s --weir-reassociate-reductions | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

// Only the op on the accumulator may be reassociated, and not its operand.
// CHECK-LABEL: func.func @sum
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
func.func @sum(%x: memref<4x8xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.mulf %in, %in : f32
    %b = arith.addf %out, %a : f32
    linalg.yield %b : f32
  }
  return
}

// Without a reduction, no op may be reassociated.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: fastmath
// CHECK: arith.addf
// CHECK-NOT: fastmath
// CHECK: return
func.func @elementwise(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %b = arith.addf %out, %in : f32
    linalg.yield %b : f32
  }
  return
}

// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules,weir-emit-kernels))' | FileCheck %s

// The plan may give the output the buffer of an epilogue operand that the kernel reads
// only at the offset of the result. An operand of the product itself is not eligible.
// CHECK-LABEL: func @residual
// CHECK-SAME: weir.in_place = array<i64: 2>
func.func @residual(%a: memref<30x40xf32>, %b: memref<1x40x32xf32>, %r: memref<1x30x32xf32>, %bias: memref<32xf32>, %c: memref<1x30x32xf32>) attributes {weir.kernel} {
  %residual = memref.collapse_shape %r [[0, 1], [2]] : memref<1x30x32xf32> into memref<30x32xf32>
  %out = memref.collapse_shape %c [[0, 1], [2]] : memref<1x30x32xf32> into memref<30x32xf32>
  kernel.matmul ins(%a, %b : memref<30x40xf32>, memref<1x40x32xf32>) layout <panels(32)> extras(%residual, %bias : memref<30x32xf32>, memref<32xf32>) outs(%out : memref<30x32xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32, %f: f32):
    %v = arith.addf %sum, %e : f32
    %w = arith.addf %v, %f : f32
    kernel.yield %w : f32
  }
  return
}
// CHECK-LABEL: func @square
// CHECK-NOT: weir.in_place
// CHECK-SAME: weir.kernel
func.func @square(%a: memref<30x32xf32>, %b: memref<1x32x32xf32>, %out: memref<30x32xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<30x32xf32>, memref<1x32x32xf32>) layout <panels(32)> extras(%a : memref<30x32xf32>) outs(%out : memref<30x32xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// No operand is eligible if the output has partial sums of a depth in several parts.
// CHECK-LABEL: func @deep_residual
// CHECK-NOT: weir.in_place
// CHECK: scf.for
func.func @deep_residual(%a: memref<300x9000xf32>, %b: memref<2x9000x32xf32>, %r: memref<300x64xf32>, %out: memref<300x64xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<300x9000xf32>, memref<2x9000x32xf32>) layout <panels(32)> extras(%r : memref<300x64xf32>) outs(%out : memref<300x64xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

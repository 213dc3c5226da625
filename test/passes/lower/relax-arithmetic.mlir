// RUN: weir-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(weir-relax-arithmetic))' | FileCheck %s

// Arithmetic on elements gets the flags, in loops and in epilogues; existing flags
// stay.
// CHECK-LABEL: @relax
// CHECK-SAME: weir.fast_math = "contract,nnan"
module @relax attributes {weir.fast_math = "contract,nnan"} {
  // CHECK-LABEL: @elements
  func.func @elements(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
      %v = arith.mulf %a, %b : f32
      // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,nnan,contract> : f32
      %w = arith.addf %v, %b fastmath<reassoc> : f32
      linalg.yield %w : f32
    } -> tensor<4xf32>
    return %r : tensor<4xf32>
  }

  // CHECK-LABEL: @epilogue
  func.func @epilogue(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
    %e = tensor.empty() : tensor<4x6xf32>
    %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32> {
    ^bb0(%sum: f32):
      // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
      %v = arith.addf %sum, %sum : f32
      kernel.yield %v : f32
    }
    return %c : tensor<4x6xf32>
  }

  // The softmax of an attention gets them, and so do the functions before and after it.
  // CHECK-LABEL: @attention
  func.func @attention(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) -> tensor<4x5xf32> {
    %e = tensor.empty() : tensor<4x5xf32>
    // CHECK: kernel.attention {{.*}} attributes {fastmath = #arith.fastmath<nnan,contract>}
    %o = kernel.attention ins(%q, %k, %v : tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32> scores {
    ^bb0(%sum: f32):
      // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
      %x = arith.addf %sum, %sum : f32
      kernel.yield %x : f32
    } weights {
    ^bb0(%w: f32):
      kernel.yield %w : f32
    } epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %o : tensor<4x5xf32>
  }

  // Conversions of floats stay, so that none of them folds.
  // CHECK-LABEL: @narrow
  func.func @narrow(%x: tensor<4xf16>) -> tensor<4xf16> {
    %e = tensor.empty() : tensor<4xf16>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf16>) outs(%e : tensor<4xf16>) {
    ^bb0(%a: f16, %o: f16):
      // CHECK: arith.extf %{{.*}} : f16 to f32
      %w = arith.extf %a : f16 to f32
      // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
      %s = arith.addf %w, %w : f32
      // CHECK: arith.truncf %{{.*}} : f32 to f16
      %n = arith.truncf %s : f32 to f16
      linalg.yield %n : f16
    } -> tensor<4xf16>
    return %r : tensor<4xf16>
  }

  // Arithmetic that is not on elements stays.
  // CHECK-LABEL: @scalar
  func.func @scalar(%x: f32) -> f32 {
    // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
    %v = arith.mulf %x, %x : f32
    return %v : f32
  }
}

// -----

// CHECK-LABEL: @strict
func.func @strict(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{weir.fast_math is 'ninf', which is no list of flags but ninf}}
module attributes {weir.fast_math = "ninf"} {
  func.func @f() {
    return
  }
}

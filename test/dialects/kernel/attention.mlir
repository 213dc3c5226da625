// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s -one-shot-bufferize="allow-unknown-ops bufferize-function-boundaries" | FileCheck %s --check-prefix=MEMORY

// An attention with a mask; its three functions are regions.
// CHECK-LABEL: func @attention
// CHECK: kernel.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) score_extras(%{{.*}} : tensor<6xf32>) outs(%{{.*}} : tensor<4x5xf32>) -> tensor<4x5xf32> attributes {score_maps = [#map]} scores {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[E:.*]]: f32):
// CHECK-NEXT: arith.addf %[[S]], %[[E]]
// CHECK: } weights {
// CHECK: } epilogue {
// MEMORY-LABEL: func @attention
// MEMORY: kernel.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x8xf32{{.*}}>, memref<8x6xf32{{.*}}>, memref<6x5xf32{{.*}}>) score_extras(%{{.*}} : memref<6xf32{{.*}}>) outs(%{{.*}} : memref<4x5xf32{{.*}}>) attributes
func.func @attention(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>, %m: tensor<6xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = kernel.attention ins(%q, %k, %v : tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) score_extras(%m : tensor<6xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32> attributes {score_maps = [affine_map<(d0, d1) -> (d1)>]} scores {
  ^bb0(%sum: f32, %e: f32):
    %s = arith.addf %sum, %e : f32
    kernel.yield %s : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x5xf32>
}

// The op has all operands: dynamic sizes, panels, a shared operand, and extras of each
// function.
// CHECK-LABEL: func @all
// CHECK: kernel.attention ins(%{{.*}}) k_layout <panels(16)> v_layout <panels(16)> depth(%{{.*}} : memref<i64>) columns(%{{.*}} : memref<i64>) score_extras(%{{.*}} : memref<1x1xf16>) weight_extras(%{{.*}} : memref<1xf16>) extras(%{{.*}} : memref<20xf16>) outs(%{{.*}} : memref<2x4x20xf16>) attributes {extra_maps = [#map1], fastmath = #arith.fastmath<nnan>, masked, score_maps = [#map2], shared_v, transpose_q, weight_maps = [#map3]} scores {
func.func @all(%q: memref<2x8x4xf16>, %k: memref<2x1x8x16xf16>, %v: memref<2x6x16xf16>, %n: memref<i64>, %s: memref<1x1xf16>, %w: memref<1xf16>, %e: memref<20xf16>, %c: memref<2x4x20xf16>) {
  kernel.attention ins(%q, %k, %v : memref<2x8x4xf16>, memref<2x1x8x16xf16>, memref<2x6x16xf16>) k_layout <panels(16)> v_layout <panels(16)> depth(%n : memref<i64>) columns(%n : memref<i64>) score_extras(%s : memref<1x1xf16>) weight_extras(%w : memref<1xf16>) extras(%e : memref<20xf16>) outs(%c : memref<2x4x20xf16>) attributes {transpose_q, shared_v, masked, fastmath = #arith.fastmath<nnan>, score_maps = [affine_map<(d0, d1, d2) -> (0, 0)>], weight_maps = [affine_map<(d0, d1, d2) -> (0)>], extra_maps = [affine_map<(d0, d1, d2) -> (d2)>]} scores {
  ^bb0(%sum: f32, %x: f16):
    %h = arith.truncf %sum : f32 to f16
    %a = arith.mulf %h, %x : f16
    kernel.yield %a : f16
  } weights {
  ^bb0(%weight: f32, %x: f16):
    %h = arith.truncf %weight : f32 to f16
    %a = arith.mulf %h, %x : f16
    kernel.yield %a : f16
  } epilogue {
  ^bb0(%sum: f32, %x: f16):
    %h = arith.truncf %sum : f32 to f16
    %a = arith.addf %h, %x : f16
    kernel.yield %a : f16
  }
  return
}

// RUN: weir-opt %s -split-input-file -weir-form-attention | FileCheck %s

// Two products and the softmax between them become one op. It has their epilogues,
// extras, depth, transposes and shared operands.
// CHECK-LABEL: func.func private @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8x64xf32>, %[[K:.*]]: tensor<8x96xf32>, %[[V:.*]]: tensor<2x96x8xf32>, %[[M:.*]]: tensor<96xf32>, %[[E:.*]]: tensor<2x64x8xf32>, %[[D:.*]]: tensor<i64>, %[[N:.*]]: tensor<i64>)
// CHECK-NOT: kernel.matmul
// CHECK: %[[O:.*]] = kernel.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) depth(%[[D]] : tensor<i64>) columns(%[[N]] : tensor<i64>) score_extras(%[[M]] : tensor<96xf32>) extras(%[[E]] : tensor<2x64x8xf32>) outs(%{{.*}} : tensor<2x64x8xf32>) -> tensor<2x64x8xf32> attributes {extra_maps = [#map{{[0-9]*}}], masked, score_maps = [#map{{[0-9]*}}], shared_k, transpose_q} scores {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: kernel.yield %[[S]] : f32
// CHECK-NEXT: } weights {
// CHECK-NEXT: ^bb0(%[[W:.*]]: f32):
// CHECK-NEXT: kernel.yield %[[W]] : f32
// CHECK-NEXT: } epilogue {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: kernel.yield %[[S]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[O]]
func.func private @attention(%q: tensor<2x8x64xf32>, %k: tensor<8x96xf32>, %v: tensor<2x96x8xf32>, %m: tensor<96xf32>, %e: tensor<2x64x8xf32>, %d: tensor<i64>, %n: tensor<i64>) -> tensor<2x64x8xf32> attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<2x64x96xf32>
  %s = kernel.matmul ins(%q, %k : tensor<2x8x64xf32>, tensor<8x96xf32>) depth(%d : tensor<i64>) extras(%m : tensor<96xf32>) outs(%0 : tensor<2x64x96xf32>) -> tensor<2x64x96xf32> attributes {extra_maps = [affine_map<(d0, d1, d2) -> (d2)>], shared, transpose_a} {
  ^bb0(%x: f32, %y: f32):
    %a = arith.addf %x, %y : f32
    kernel.yield %a : f32
  }
  %p = graph.softmax %s masked : tensor<2x64x96xf32>
  %1 = tensor.empty() : tensor<2x64x8xf32>
  %o = kernel.matmul ins(%p, %v : tensor<2x64x96xf32>, tensor<2x96x8xf32>) depth(%n : tensor<i64>) extras(%e : tensor<2x64x8xf32>) outs(%1 : tensor<2x64x8xf32>) -> tensor<2x64x8xf32> attributes {extra_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]} {
  ^bb0(%x: f32, %y: f32):
    %a = arith.mulf %x, %y : f32
    kernel.yield %a : f32
  }
  return %o : tensor<2x64x8xf32>
}

// -----

// Weights of f16 are rounded, and the function after the softmax becomes theirs.
// CHECK-LABEL: func.func private @weights
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<64x1xf16>)
// CHECK: kernel.attention {{.*}} weight_extras(%[[R]] : tensor<64x1xf16>) outs({{.*}} attributes {weight_maps = [#map{{[0-9]*}}]} scores {
// CHECK: } weights {
// CHECK-NEXT: ^bb0(%[[W:.*]]: f32, %[[Y:.*]]: f16):
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[W]] : f32 to f16
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[Y]], %[[H]] : f16
// CHECK-NEXT: kernel.yield %[[M]] : f16
func.func private @weights(%q: tensor<64x8xf16>, %k: tensor<8x96xf16>, %v: tensor<96x8xf16>, %r: tensor<64x1xf16>) -> tensor<64x8xf16> attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x96xf16>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xf16>, tensor<8x96xf16>) outs(%0 : tensor<64x96xf16>) -> tensor<64x96xf16> {
  ^bb0(%x: f32):
    %a = arith.truncf %x : f32 to f16
    kernel.yield %a : f16
  }
  %p = graph.softmax %s : tensor<64x96xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r, %p : tensor<64x1xf16>, tensor<64x96xf16>) outs(%0 : tensor<64x96xf16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %a = arith.mulf %x, %y : f16
    linalg.yield %a : f16
  } -> tensor<64x96xf16>
  %1 = tensor.empty() : tensor<64x8xf16>
  %o = kernel.matmul ins(%w, %v : tensor<64x96xf16>, tensor<96x8xf16>) outs(%1 : tensor<64x8xf16>) -> tensor<64x8xf16> {
  ^bb0(%x: f32):
    %a = arith.truncf %x : f32 to f16
    kernel.yield %a : f16
  }
  return %o : tensor<64x8xf16>
}

// -----

// Scores with another user stay in memory, and the softmax becomes loops.
// CHECK-LABEL: func.func private @scores_read_again
// CHECK: kernel.matmul
// CHECK: arith.maxnumf
// CHECK: kernel.matmul
// CHECK-NOT: kernel.attention
func.func private @scores_read_again(%q: tensor<64x8xf32>, %k: tensor<8x96xf32>, %v: tensor<96x8xf32>) -> (tensor<64x8xf32>, tensor<64x96xf32>) attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x96xf32>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xf32>, tensor<8x96xf32>) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  %p = graph.softmax %s : tensor<64x96xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %o = kernel.matmul ins(%p, %v : tensor<64x96xf32>, tensor<96x8xf32>) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o, %s : tensor<64x8xf32>, tensor<64x96xf32>
}

// -----

// Weights with another user stay in memory, and so do weights that are a right operand.
// CHECK-LABEL: func.func private @weights_read_again
// CHECK-COUNT-2: kernel.matmul
// CHECK-NOT: kernel.attention
// CHECK-LABEL: func.func private @weights_on_the_right
// CHECK-COUNT-2: kernel.matmul
// CHECK-NOT: kernel.attention
func.func private @weights_read_again(%q: tensor<64x8xf32>, %k: tensor<8x96xf32>, %v: tensor<96x8xf32>) -> (tensor<64x8xf32>, tensor<64x96xf32>) attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x96xf32>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xf32>, tensor<8x96xf32>) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  %p = graph.softmax %s : tensor<64x96xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %o = kernel.matmul ins(%p, %v : tensor<64x96xf32>, tensor<96x8xf32>) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o, %p : tensor<64x8xf32>, tensor<64x96xf32>
}
func.func private @weights_on_the_right(%q: tensor<64x8xf32>, %k: tensor<8x96xf32>, %v: tensor<8x64xf32>) -> tensor<8x96xf32> attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x96xf32>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xf32>, tensor<8x96xf32>) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  %p = graph.softmax %s : tensor<64x96xf32>
  %1 = tensor.empty() : tensor<8x96xf32>
  %o = kernel.matmul ins(%v, %p : tensor<8x64xf32>, tensor<64x96xf32>) outs(%1 : tensor<8x96xf32>) -> tensor<8x96xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o : tensor<8x96xf32>
}

// -----

// Loops that mix rows, here a transpose, are no function of the weights. Without a
// product the softmax is no attention.
// CHECK-LABEL: func.func private @other_rows
// CHECK-COUNT-2: kernel.matmul
// CHECK-NOT: kernel.attention
// CHECK-LABEL: func.func private @one_product
// CHECK: arith.maxnumf
// CHECK: kernel.matmul
// CHECK-NOT: kernel.attention
func.func private @other_rows(%q: tensor<64x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x8xf32>) -> tensor<64x8xf32> attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x64xf32>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xf32>, tensor<8x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  %p = graph.softmax %s : tensor<64x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<64x64xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %o = kernel.matmul ins(%t, %v : tensor<64x64xf32>, tensor<64x8xf32>) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o : tensor<64x8xf32>
}
func.func private @one_product(%s: tensor<64x64xf32>, %v: tensor<64x8xf32>) -> tensor<64x8xf32> attributes {weir.kernel} {
  %p = graph.softmax %s : tensor<64x64xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %o = kernel.matmul ins(%p, %v : tensor<64x64xf32>, tensor<64x8xf32>) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o : tensor<64x8xf32>
}

// -----

// A product of integers before the softmax stays a product.
// CHECK-LABEL: func.func private @integers
// CHECK-NOT: kernel.attention
// CHECK: kernel.matmul
// CHECK: kernel.matmul
// CHECK-NOT: kernel.attention
func.func private @integers(%q: tensor<64x8xi32>, %k: tensor<8x96xi32>, %v: tensor<96x8xf32>) -> tensor<64x8xf32> attributes {weir.kernel} {
  %0 = tensor.empty() : tensor<64x96xf32>
  %s = kernel.matmul ins(%q, %k : tensor<64x8xi32>, tensor<8x96xi32>) outs(%0 : tensor<64x96xf32>) -> tensor<64x96xf32> {
  ^bb0(%x: i32):
    %a = arith.sitofp %x : i32 to f32
    kernel.yield %a : f32
  }
  %p = graph.softmax %s : tensor<64x96xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %o = kernel.matmul ins(%p, %v : tensor<64x96xf32>, tensor<96x8xf32>) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %o : tensor<64x8xf32>
}

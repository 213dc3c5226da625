// A run-time operand is packed for inner-product pairing if enough rows use it.

// RUN: weir-opt %s -split-input-file -weir-choose-layouts | FileCheck %s

// CHECK-LABEL: func @panels
// CHECK-SAME: %[[A:.*]]: tensor<256x512xf32>, %[[B:.*]]: tensor<512x96xf32>
// CHECK: %[[P:.*]] = kernel.pack ins(%[[B]] : tensor<512x96xf32>) layout <pairing> outs(%{{.*}} : tensor<3x514x32xf32>) -> tensor<3x514x32xf32>
// CHECK: kernel.matmul ins(%[[A]], %[[P]] : {{.*}} layout <pairing>
module attributes {weir.target = #weir.target<features = "+avx512f", adds_beside = true>} {
  func.func @panels(%a: tensor<256x512xf32>, %b: tensor<512x96xf32>, %c: tensor<256x96xf32>) -> tensor<256x96xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<2x512x48xf32>
    %p = kernel.pack ins(%b : tensor<512x96xf32>) layout <panels(48)> outs(%e : tensor<2x512x48xf32>) -> tensor<2x512x48xf32>
    %r = kernel.matmul ins(%a, %p : tensor<256x512xf32>, tensor<2x512x48xf32>) layout <panels(48)> outs(%c : tensor<256x96xf32>) -> tensor<256x96xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %r : tensor<256x96xf32>
  }
}

// -----

// Both operands are transposed, and loops transpose the left one.
// CHECK-LABEL: func @transposed
// CHECK-SAME: %[[A:.*]]: tensor<512x1024xf32>, %[[B:.*]]: tensor<512x512xf32>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<512x1024xf32>) outs(%{{.*}} : tensor<1024x512xf32>)
// CHECK: %[[P:.*]] = kernel.pack ins(%[[B]] : tensor<512x512xf32>) layout <pairing> outs(%{{.*}} : tensor<16x514x32xf32>) -> tensor<16x514x32xf32> {transpose_b}
// CHECK: kernel.matmul ins(%[[T]], %[[P]] : {{.*}} layout <pairing>
module attributes {weir.target = #weir.target<features = "+avx512f", adds_beside = true>} {
  func.func @transposed(%a: tensor<512x1024xf32>, %b: tensor<512x512xf32>, %c: tensor<1024x512xf32>) -> tensor<1024x512xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<11x512x48xf32>
    %p = kernel.pack ins(%b : tensor<512x512xf32>) layout <panels(48)> outs(%e : tensor<11x512x48xf32>) -> tensor<11x512x48xf32> {transpose_b}
    %r = kernel.matmul ins(%a, %p : tensor<512x1024xf32>, tensor<11x512x48xf32>) layout <panels(48)> outs(%c : tensor<1024x512xf32>) -> tensor<1024x512xf32> attributes {transpose_a} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %r : tensor<1024x512xf32>
  }
}

// -----

// With so few rows, the inspection of the panels costs more than pairing saves.
// CHECK-LABEL: func @few_rows
// CHECK-NOT: pairing
// CHECK: kernel.matmul
// CHECK-NOT: pairing
// CHECK: return
module attributes {weir.target = #weir.target<features = "+avx512f", adds_beside = true>} {
  func.func @few_rows(%a: tensor<16x512xf32>, %b: tensor<512x96xf32>, %c: tensor<16x96xf32>) -> tensor<16x96xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<2x512x48xf32>
    %p = kernel.pack ins(%b : tensor<512x96xf32>) layout <panels(48)> outs(%e : tensor<2x512x48xf32>) -> tensor<2x512x48xf32>
    %r = kernel.matmul ins(%a, %p : tensor<16x512xf32>, tensor<2x512x48xf32>) layout <panels(48)> outs(%c : tensor<16x96xf32>) -> tensor<16x96xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %r : tensor<16x96xf32>
  }
}

// -----

// Two products, such as those of an attention, run for a block of rows at a time.
// CHECK-LABEL: func @attention
// CHECK-NOT: pairing
// CHECK: kernel.matmul
// CHECK-NOT: pairing
// CHECK: return
module attributes {weir.target = #weir.target<features = "+avx512f", adds_beside = true>} {
  func.func @attention(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>, %c: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<11x64x48xf32>
    %1 = kernel.pack ins(%k : tensor<512x64xf32>) layout <panels(48)> outs(%0 : tensor<11x64x48xf32>) -> tensor<11x64x48xf32> {transpose_b}
    %2 = tensor.empty() : tensor<512x512xf32>
    %scores = kernel.matmul ins(%q, %1 : tensor<512x64xf32>, tensor<11x64x48xf32>) layout <panels(48)> outs(%2 : tensor<512x512xf32>) -> tensor<512x512xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    %3 = tensor.empty() : tensor<2x512x48xf32>
    %4 = kernel.pack ins(%v : tensor<512x64xf32>) layout <panels(48)> outs(%3 : tensor<2x512x48xf32>) -> tensor<2x512x48xf32>
    %r = kernel.matmul ins(%scores, %4 : tensor<512x512xf32>, tensor<2x512x48xf32>) layout <panels(48)> outs(%c : tensor<512x64xf32>) -> tensor<512x64xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %r : tensor<512x64xf32>
  }
}

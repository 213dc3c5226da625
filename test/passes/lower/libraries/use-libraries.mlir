// RUN: sed 's/LIBRARY/library = "cublaslt"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s
// RUN: sed 's/LIBRARY/library = "auto"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=AUTO
// RUN: sed 's/LIBRARY/kind = "cuda"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=NONE

// NONE-NOT: weir.gemm
// NONE: func.func private @large
// NONE-NOT: weir.gemm
// NONE: kernel.matmul
// NONE-NOT: weir.gemm

// An option forces products of any size to the library. By estimated time, only a large
// product uses it.
// CHECK-LABEL: func.func private @large
// CHECK-SAME: weir.gemm = #weir.gemm<m = 2048, n = 2048, k = 2048, dtype = f32, workspace = 4194304, operands = [0, 1, -1]>
// CHECK-LABEL: func.func private @small
// CHECK-SAME: weir.gemm = #weir.gemm<m = 4, n = 20, k = 8, dtype = f32,
// AUTO-LABEL: func.func private @large
// AUTO-SAME: weir.gemm
// AUTO-LABEL: func.func private @small
// AUTO-NOT: weir.gemm
// AUTO: kernel.matmul
// AUTO-NOT: weir.gemm
// AUTO: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @large(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<2048x2048xf32>
    %c = kernel.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<2048x2048xf32>
  }
  func.func private @small(%a: tensor<4x8xf32>, %b: tensor<8x20xf32>) -> tensor<4x20xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<4x20xf32>
    %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x20xf32>) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<4x20xf32>
  }
}

// -----

// The library reads the right operand before its packing, and also computes a bias and
// a relu. A right operand for all batches has a stride of 0.
// CHECK-LABEL: func.func private @packed
// CHECK-SAME: weir.gemm = #weir.gemm<m = 4, n = 20, k = 8, dtype = f32, transpose_b = true, bias = true, relu = true, workspace = 4194304, operands = [0, 1, 2]>
// CHECK-LABEL: func.func private @batches
// CHECK-SAME: weir.gemm = #weir.gemm<m = 4, n = 20, k = 8, batch = 6, dtype = bf16, transpose_a = true, stride_b = 0, workspace = 4194304, operands = [1, 0, -1]>
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @packed(%a: tensor<4x8xf32>, %b: tensor<20x8xf32>, %bias: tensor<1x20xf32>) -> tensor<4x20xf32> attributes {weir.kernel} {
    %zero = arith.constant 0.0 : f32
    %p = tensor.empty() : tensor<1x8x32xf32>
    %panels = kernel.pack ins(%b : tensor<20x8xf32>) layout <panels(32)> outs(%p : tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {transpose_b}
    %e = tensor.empty() : tensor<4x20xf32>
    %c = kernel.matmul ins(%a, %panels : tensor<4x8xf32>, tensor<1x8x32xf32>) layout <panels(32)> extras(%bias : tensor<1x20xf32>) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (0, d1)>]} {
    ^bb0(%sum: f32, %x: f32):
      %v = arith.addf %sum, %x : f32
      %less = arith.cmpf olt, %v, %zero : f32
      %r = arith.select %less, %zero, %v : f32
      kernel.yield %r : f32
    }
    return %c : tensor<4x20xf32>
  }
  func.func private @batches(%b: tensor<8x20xbf16>, %a: tensor<2x3x8x4xbf16>) -> tensor<2x3x4x20xbf16> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<2x3x4x20xbf16>
    %c = kernel.matmul ins(%a, %b : tensor<2x3x8x4xbf16>, tensor<8x20xbf16>) outs(%e : tensor<2x3x4x20xbf16>) -> tensor<2x3x4x20xbf16> attributes {shared, transpose_a} {
    ^bb0(%sum: f32):
      %r = arith.truncf %sum : f32 to bf16
      kernel.yield %r : bf16
    }
    return %c : tensor<2x3x4x20xbf16>
  }
}

// -----

// The library does not support other epilogues, a bias per row, or a kernel with
// further ops.
// CHECK-NOT: weir.gemm
// CHECK: math.tanh
// CHECK-NOT: weir.gemm
// CHECK: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @epilogue(%a: tensor<4x8xf32>, %b: tensor<8x20xf32>) -> tensor<4x20xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<4x20xf32>
    %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x20xf32>) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32> {
    ^bb0(%sum: f32):
      %r = math.tanh %sum : f32
      kernel.yield %r : f32
    }
    return %c : tensor<4x20xf32>
  }
  func.func private @rows(%a: tensor<20x8xf32>, %b: tensor<8x20xf32>, %bias: tensor<20x1xf32>) -> tensor<20x20xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<20x20xf32>
    %c = kernel.matmul ins(%a, %b : tensor<20x8xf32>, tensor<8x20xf32>) extras(%bias : tensor<20x1xf32>) outs(%e : tensor<20x20xf32>) -> tensor<20x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d0, 0)>]} {
    ^bb0(%sum: f32, %x: f32):
      %v = arith.addf %sum, %x : f32
      kernel.yield %v : f32
    }
    return %c : tensor<20x20xf32>
  }
  func.func private @more(%a: tensor<4x8xf32>, %b: tensor<8x20xf32>) -> tensor<4x20xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<4x20xf32>
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
    %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x20xf32>) outs(%f : tensor<4x20xf32>) -> tensor<4x20xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<4x20xf32>
  }
}

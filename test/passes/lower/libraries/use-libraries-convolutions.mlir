// RUN: sed 's/LIBRARY/library = "cudnn"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s
// RUN: sed 's/LIBRARY/library = "auto"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=AUTO
// RUN: sed 's/LIBRARY/library = "cublaslt,cudnn"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/LIBRARY/library = "cublaslt"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: weir.conv
// OTHER: kernel.convolution
// OTHER-NOT: weir.conv
// OTHER: return

// An option forces convolutions of any size to the library, also with groups. By
// estimated time, only a large one of 16-bit floats without groups uses it. Filters are
// packed by outputs.
// CHECK-LABEL: func.func private @large
// CHECK-SAME: weir.conv = #weir.conv<images = 16, inputs = 64, outputs = 64, size = [56, 56], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [1, 1], padding_high = [1, 1], dtype = bf16, workspace = 51675136, operands = [0, 1, -1, -1]>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<64x3x3x64x1xbf16>
// CHECK: %[[P:.*]] = kernel.pack_filter ins(%{{.*}} : tensor<3x3x64x64xbf16>) groups 1 layout <panels(1)> outs(%[[E]] : tensor<64x3x3x64x1xbf16>)
// CHECK: kernel.convolution ins(%{{.*}}, %[[P]] : {{.*}}) layout <panels(1)>
// CHECK-LABEL: func.func private @groups
// CHECK-SAME: weir.conv = #weir.conv<images = 1, inputs = 8, outputs = {{[0-9]+}}, groups = 2, size = [8, 9], window = [3, 3], strides = [2, 2],
// CHECK-SAME: dilations = [1, 2], padding_low = [0, 2], padding_high = [0, 0], dtype = f32, workspace = 4194304,
// AUTO-LABEL: func.func private @large
// AUTO-SAME: weir.conv
// AUTO-LABEL: func.func private @groups
// AUTO-NOT: weir.conv
// AUTO: kernel.convolution
// AUTO-NOT: weir.conv
// AUTO: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @large(%x: tensor<16x56x56x64xbf16>, %w: tensor<3x3x64x64xbf16>) -> tensor<16x56x56x64xbf16> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<4x3x3x64x16xbf16>
    %p = kernel.pack_filter ins(%w : tensor<3x3x64x64xbf16>) groups 1 layout <panels(16)> outs(%e : tensor<4x3x3x64x16xbf16>) -> tensor<4x3x3x64x16xbf16>
    %o = tensor.empty() : tensor<16x56x56x64xbf16>
    %c = kernel.convolution ins(%x, %p : tensor<16x56x56x64xbf16>, tensor<4x3x3x64x16xbf16>) layout <panels(16)> outs(%o : tensor<16x56x56x64xbf16>) -> tensor<16x56x56x64xbf16> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      %r = arith.truncf %sum : f32 to bf16
      kernel.yield %r : bf16
    }
    return %c : tensor<16x56x56x64xbf16>
  }
  func.func private @groups(%x: tensor<1x8x9x8xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<1x3x4x6xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<2x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf32>) groups 2 layout <panels(16)> outs(%e : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x3x4x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x9x8xf32>, tensor<2x3x3x4x16xf32>) layout <panels(16)> outs(%o : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> attributes {dilations = array<i64: 1, 2>, groups = 2 : i64, padding = array<i64: 0, 2>, strides = array<i64: 2, 2>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<1x3x4x6xf32>
  }
}

// -----

// The library also computes a bias, a residual and a relu with a bound. With 16-bit
// elements it also rounds between them. One dimension becomes two, one of them with a
// size of 1.
// CHECK-LABEL: func.func private @epilogue
// CHECK-SAME: weir.conv = #weir.conv<{{.*}} bias = true, residual = true, relu = true, clip = 6.000000e+00 : f64, {{.*}} operands = [0, 1, 3, 2]>
// CHECK-LABEL: func.func private @f16
// CHECK-SAME: weir.conv = #weir.conv<{{.*}} size = [1, 8], window = [1, 3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 1], padding_high = [0, 1], dtype = bf16, residual = true, relu = true, clip = 6.000000e+00 : f64, {{.*}} operands = [0, 1, -1, 2]>
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @epilogue(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %r: tensor<1x6x6x6xf32>, %bias: tensor<6xf32>) -> tensor<1x6x6x6xf32> attributes {weir.kernel} {
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %e = tensor.empty() : tensor<1x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x4x16xf32>) -> tensor<1x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x6x6x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<1x3x3x4x16xf32>) layout <panels(16)> extras(%r, %bias : tensor<1x6x6x6xf32>, tensor<6xf32>) outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> attributes {dilations = array<i64: 1, 1>, extra_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d)>], groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32, %y: f32, %z: f32):
      %v = arith.addf %sum, %z : f32
      %t = arith.addf %y, %v : f32
      %m = arith.maximumf %t, %zero : f32
      %n = arith.minimumf %m, %six : f32
      kernel.yield %n : f32
    }
    return %c : tensor<1x6x6x6xf32>
  }
  func.func private @f16(%x: tensor<1x8x4xbf16>, %w: tensor<3x4x6xbf16>, %r: tensor<1x8x6xbf16>) -> tensor<1x8x6xbf16> attributes {weir.kernel} {
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %e = tensor.empty() : tensor<1x3x4x16xbf16>
    %p = kernel.pack_filter ins(%w : tensor<3x4x6xbf16>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x4x16xbf16>) -> tensor<1x3x4x16xbf16>
    %o = tensor.empty() : tensor<1x8x6xbf16>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x4xbf16>, tensor<1x3x4x16xbf16>) layout <panels(16)> extras(%r : tensor<1x8x6xbf16>) outs(%o : tensor<1x8x6xbf16>) -> tensor<1x8x6xbf16> attributes {dilations = array<i64: 1>, extra_maps = [affine_map<(a, b, c) -> (a, b, c)>], groups = 1 : i64, padding = array<i64: 1>, strides = array<i64: 1>} {
    ^bb0(%sum: f32, %y: bf16):
      %t = arith.truncf %sum : f32 to bf16
      %u = arith.extf %t : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %s = arith.addf %u, %v : f32
      %q = arith.truncf %s : f32 to bf16
      %z = arith.extf %q : bf16 to f32
      %less = arith.cmpf olt, %z, %zero : f32
      %m = arith.select %less, %zero, %z : f32
      %more = arith.cmpf ogt, %z, %six : f32
      %l = arith.select %more, %six, %m : f32
      %n = arith.truncf %l : f32 to bf16
      kernel.yield %n : bf16
    }
    return %c : tensor<1x8x6xbf16>
  }
}

// -----

// A product of pixels is a convolution if cuBLASLt is not available. cuBLASLt only
// computes it if all pixels form one matrix.
// CHECK-LABEL: func.func private @pixels
// CHECK-SAME: weir.conv = #weir.conv<{{.*}} size = [7, 8], window = [1, 1], strides = [1, 1], dilations = [1, 1],
// CHECK: tensor.collapse_shape %{{.*}} : tensor<6x1x1x4x1xf32> into tensor<6x4x1xf32>
// CHECK-LABEL: func.func private @chosen
// CHECK-SAME: weir.conv = #weir.conv<{{.*}} size = [7, 8], window = [1, 1], strides = [2, 3],
// BOTH-LABEL: func.func private @pixels
// BOTH-SAME: weir.gemm = #weir.gemm<m = 112, n = 6, k = 4, dtype = f32, workspace = 4194304, operands = [0, 1, -1]>
// BOTH-LABEL: func.func private @chosen
// BOTH-SAME: weir.conv = #weir.conv<
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @pixels(%x: tensor<2x7x8x4xf32>, %w: tensor<1x1x4x6xf32>) -> tensor<2x7x8x6xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x1x1x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<1x1x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x1x1x4x16xf32>) -> tensor<1x1x1x4x16xf32>
    %f = tensor.collapse_shape %p [[0], [1, 2, 3], [4]] : tensor<1x1x1x4x16xf32> into tensor<1x4x16xf32>
    %o = tensor.empty() : tensor<2x7x8x6xf32>
    %c = kernel.matmul ins(%x, %f : tensor<2x7x8x4xf32>, tensor<1x4x16xf32>) layout <panels(16)> outs(%o : tensor<2x7x8x6xf32>) -> tensor<2x7x8x6xf32> attributes {shared} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<2x7x8x6xf32>
  }
  func.func private @chosen(%x: tensor<2x7x8x4xf32>, %w: tensor<1x1x4x6xf32>) -> tensor<2x4x3x6xf32> attributes {weir.kernel} {
    %s = tensor.extract_slice %x[0, 0, 0, 0] [2, 4, 3, 4] [1, 2, 3, 1] : tensor<2x7x8x4xf32> to tensor<2x4x3x4xf32>
    %e = tensor.empty() : tensor<1x1x1x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<1x1x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x1x1x4x16xf32>) -> tensor<1x1x1x4x16xf32>
    %f = tensor.collapse_shape %p [[0], [1, 2, 3], [4]] : tensor<1x1x1x4x16xf32> into tensor<1x4x16xf32>
    %o = tensor.empty() : tensor<2x4x3x6xf32>
    %c = kernel.matmul ins(%s, %f : tensor<2x4x3x4xf32>, tensor<1x4x16xf32>) layout <panels(16)> outs(%o : tensor<2x4x3x6xf32>) -> tensor<2x4x3x6xf32> attributes {shared} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<2x4x3x6xf32>
  }
}

// -----

// The library does not support another function after the sum, a value per row, a
// residual before the bias, or images that are also the filter. It does not support
// other types, or a filter that the kernel computes.
// CHECK-NOT: weir.conv
// CHECK: math.tanh
// CHECK-NOT: weir.conv
// CHECK: return
// BOTH-NOT: weir.conv
// BOTH: math.tanh
// BOTH-NOT: weir.conv
// BOTH: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @tanh(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x4x16xf32>) -> tensor<1x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x6x6x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<1x3x3x4x16xf32>) layout <panels(16)> outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      %t = math.tanh %sum : f32
      kernel.yield %t : f32
    }
    return %c : tensor<1x6x6x6xf32>
  }
  func.func private @rows(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %b: tensor<6x1xf32>) -> tensor<1x6x6x6xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x4x16xf32>) -> tensor<1x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x6x6x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<1x3x3x4x16xf32>) layout <panels(16)> extras(%b : tensor<6x1xf32>) outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> attributes {dilations = array<i64: 1, 1>, extra_maps = [affine_map<(a, b, c, d) -> (c, 0)>], groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32, %y: f32):
      %v = arith.addf %sum, %y : f32
      kernel.yield %v : f32
    }
    return %c : tensor<1x6x6x6xf32>
  }
  func.func private @order(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %r: tensor<1x6x6x6xf32>, %bias: tensor<6xf32>) -> tensor<1x6x6x6xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x4x16xf32>) -> tensor<1x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x6x6x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<1x3x3x4x16xf32>) layout <panels(16)> extras(%r, %bias : tensor<1x6x6x6xf32>, tensor<6xf32>) outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> attributes {dilations = array<i64: 1, 1>, extra_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d)>], groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32, %y: f32, %z: f32):
      %v = arith.addf %sum, %y : f32
      %t = arith.addf %v, %z : f32
      kernel.yield %t : f32
    }
    return %c : tensor<1x6x6x6xf32>
  }
  func.func private @same(%x: tensor<3x3x3x3xf32>) -> tensor<3x1x1x3xf32> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x3x3x3x16xf32>
    %p = kernel.pack_filter ins(%x : tensor<3x3x3x3xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x3x16xf32>) -> tensor<1x3x3x3x16xf32>
    %o = tensor.empty() : tensor<3x1x1x3xf32>
    %c = kernel.convolution ins(%x, %p : tensor<3x3x3x3xf32>, tensor<1x3x3x3x16xf32>) layout <panels(16)> outs(%o : tensor<3x1x1x3xf32>) -> tensor<3x1x1x3xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<3x1x1x3xf32>
  }
  func.func private @doubles(%x: tensor<1x8x8x4xf64>, %w: tensor<3x3x4x6xf64>) -> tensor<1x6x6x6xf64> attributes {weir.kernel} {
    %e = tensor.empty() : tensor<1x3x3x4x8xf64>
    %p = kernel.pack_filter ins(%w : tensor<3x3x4x6xf64>) groups 1 layout <panels(8)> outs(%e : tensor<1x3x3x4x8xf64>) -> tensor<1x3x3x4x8xf64>
    %o = tensor.empty() : tensor<1x6x6x6xf64>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf64>, tensor<1x3x3x4x8xf64>) layout <panels(8)> outs(%o : tensor<1x6x6x6xf64>) -> tensor<1x6x6x6xf64> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f64):
      kernel.yield %sum : f64
    }
    return %c : tensor<1x6x6x6xf64>
  }
  func.func private @made(%x: tensor<1x8x8x4xf32>) -> tensor<1x6x6x6xf32> attributes {weir.kernel} {
    %half = arith.constant dense<0.5> : tensor<3x3x4x6xf32>
    %e = tensor.empty() : tensor<1x3x3x4x16xf32>
    %p = kernel.pack_filter ins(%half : tensor<3x3x4x6xf32>) groups 1 layout <panels(16)> outs(%e : tensor<1x3x3x4x16xf32>) -> tensor<1x3x3x4x16xf32>
    %o = tensor.empty() : tensor<1x6x6x6xf32>
    %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<1x3x3x4x16xf32>) layout <panels(16)> outs(%o : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %c : tensor<1x6x6x6xf32>
  }
}

// RUN: sed 's/LIBRARY/library = "cudnn"/' %s | weir-opt --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s
// RUN: sed 's/LIBRARY/library = "auto"/' %s | weir-opt --pass-pipeline='builtin.module(func.func(weir-use-libraries,weir-use-libraries))' | FileCheck %s
// RUN: sed 's/LIBRARY/kind = "cuda"/' %s | weir-opt --pass-pipeline='builtin.module(func.func(weir-use-libraries))' | FileCheck %s --check-prefix=NONE

// NONE-NOT: weir.conv
// NONE: graph.filter_gradient
// NONE-NOT: weir.conv
// NONE: return

// The library computes gradients by filters that were not expanded. The operands are
// the images and the gradient of the results. One dimension becomes two, one of them
// with a size of 1.
// CHECK-LABEL: func.func private @gradient
// CHECK-SAME: weir.conv = #weir.conv<images = 2, inputs = 3, outputs = 5, size = [8, 8], window = [3, 3], strides = [2, 2], dilations = [1, 1], padding_low = [0, 0], padding_high = [1, 1], dtype = f32, gradient = true, tf32 = true, workspace = 4194304, operands = [1, 0, -1, -1]>
// CHECK-LABEL: func.func private @groups
// CHECK-SAME: weir.conv = #weir.conv<images = 2, inputs = 4, outputs = 6, groups = 2, size = [1, 9], window = [1, 3], strides = [1, 2], dilations = [1, 1], padding_low = [0, 1], padding_high = [0, 0], dtype = f16, gradient = true,
// The library does not compute other gradients, or kernels with further ops.
// CHECK-LABEL: func.func private @integers
// CHECK-NOT: weir.conv
// CHECK: graph.filter_gradient
// CHECK-NOT: weir.conv
// CHECK: return
// CHECK-LABEL: func.func private @more
// CHECK-NOT: weir.conv
// CHECK: graph.transpose
// CHECK-NOT: weir.conv
// CHECK: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>, weir.precision = "tf32"} {
  func.func private @gradient(%r: tensor<2x4x4x5xf32>, %x: tensor<2x8x8x3xf32>) -> tensor<5x3x3x3xf32> attributes {weir.kernel} {
    %g = graph.filter_gradient %x, %r window [3, 3] strides [2, 2] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>
    return %g : tensor<5x3x3x3xf32>
  }
  func.func private @groups(%x: tensor<2x9x4xf16>, %r: tensor<2x4x6xf16>) -> tensor<6x3x2xf16> attributes {weir.kernel} {
    %g = graph.filter_gradient %x, %r window [3] strides [2] padding_low [1] dilations [1] groups 2 : tensor<2x9x4xf16>, tensor<2x4x6xf16>
    return %g : tensor<6x3x2xf16>
  }
  func.func private @integers(%x: tensor<2x9x4xi32>, %r: tensor<2x9x6xi32>) -> tensor<6x3x4xi32> attributes {weir.kernel} {
    %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [1] dilations [1] groups 1 : tensor<2x9x4xi32>, tensor<2x9x6xi32>
    return %g : tensor<6x3x4xi32>
  }
  func.func private @more(%x: tensor<2x9x4xf16>, %r: tensor<2x9x6xf16>) -> tensor<3x4x6xf16> attributes {weir.kernel} {
    %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [1] dilations [1] groups 1 : tensor<2x9x4xf16>, tensor<2x9x6xf16>
    %t = graph.transpose %g [1, 2, 0] : tensor<6x3x4xf16>
    return %t : tensor<3x4x6xf16>
  }
}

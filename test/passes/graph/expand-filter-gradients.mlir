// Gradients by filters become convolutions, except those that cuDNN computes.
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<>/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<library = "cublaslt">/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<library = "cudnn", place = ["dense:cpu"]>/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<library = "auto">, weir.devices = {}/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<library = "cublaslt,cudnn">/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s --check-prefix=FORCED
// RUN: sed 's/GPU/weir.gpu = #weir.gpu<library = "auto">/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-expand-filter-gradients))' -verify-diagnostics | FileCheck %s --check-prefix=AUTO

// The images have their channels as the batch, and the results are the filter. A
// transpose prepares the channels of the gradient.
// CHECK-LABEL: @large
// CHECK-DAG: %[[X:.*]] = graph.reshape %{{.*}} : tensor<64x56x56x1x16xbf16> to tensor<64x56x56x16xbf16>
// CHECK-DAG: %[[R:.*]] = graph.transpose %arg1 [1, 2, 0, 3]
// CHECK: %[[Y:.*]] = graph.convolution %[[X]], %[[R]] strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1
// CHECK: %[[G:.*]] = graph.transpose %[[Y]] [1, 2, 0, 3] : tensor<64x3x3x64xbf16>
// CHECK-NEXT: return %[[G]]
// FORCED-LABEL: @large
// FORCED-NOT: graph.convolution
// FORCED: %[[G:.*]] = graph.filter_gradient
// FORCED: graph.transpose %[[G]] [1, 2, 3, 0]
// AUTO-LABEL: @large
// AUTO: graph.filter_gradient
module attributes {GPU} {
  func.func @large(%x: tensor<16x56x56x64xbf16>, %r: tensor<16x56x56x64xbf16>) -> tensor<3x3x64x64xbf16> {
    %g = graph.filter_gradient %x, %r window [3, 3] strides [1, 1] padding_low [1, 1] dilations [1, 1] groups 1 : tensor<16x56x56x64xbf16>, tensor<16x56x56x64xbf16>
    %t = graph.transpose %g [1, 2, 3, 0] : tensor<64x3x3x64xbf16>
    return %t : tensor<3x3x64x64xbf16>
  }
}

// -----

// Strides become dilations and vice versa, and pixels that no window covers are cut
// off. The compiler's own kernel is faster here. Other users read the channels of the
// result.
// CHECK-LABEL: @small
// CHECK: graph.convolution {{.*}} strides [1] padding_low [1] padding_high [0] dilations [2] groups 2
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [1, 0, 2] : tensor<2x3x6xf32>
// CHECK: %[[G:.*]] = graph.transpose %[[T]] [2, 0, 1] : tensor<3x2x6xf32>
// CHECK: return %[[G]]
// FORCED-LABEL: @small
// FORCED: graph.filter_gradient
// AUTO-LABEL: @small
// AUTO: graph.convolution
module attributes {GPU} {
  func.func @small(%x: tensor<2x9x4xf32>, %r: tensor<2x4x6xf32>) -> tensor<6x3x2xf32> {
    %g = graph.filter_gradient %x, %r window [3] strides [2] padding_low [1] dilations [1] groups 2 : tensor<2x9x4xf32>, tensor<2x4x6xf32>
    return %g : tensor<6x3x2xf32>
  }
}

// -----

// With many channels, other forms need fewer products; the library has its own.
// CHECK-LABEL: @sums
// CHECK-NOT: graph.convolution
// CHECK: graph.matmul
// FORCED-LABEL: @sums
// FORCED: graph.filter_gradient
module attributes {GPU} {
  func.func @sums(%x: tensor<4x16x16x128xf32>, %r: tensor<4x16x16x128xf32>) -> tensor<128x3x3x128xf32> {
    %g = graph.filter_gradient %x, %r window [3, 3] strides [1, 1] padding_low [1, 1] dilations [1, 1] groups 1 : tensor<4x16x16x128xf32>, tensor<4x16x16x128xf32>
    return %g : tensor<128x3x3x128xf32>
  }
}

// -----

// The library supports no three dimensions, no other element types and no constants.
// FORCED-LABEL: @volumes
// FORCED-NOT: graph.filter_gradient
// FORCED: return
// FORCED-LABEL: @doubles
// FORCED-NOT: graph.filter_gradient
// FORCED: return
// FORCED-LABEL: @ones
// FORCED-NOT: graph.filter_gradient
// FORCED: return
module attributes {GPU} {
  func.func @volumes(%x: tensor<2x5x5x5x4xf32>, %r: tensor<2x5x5x5x6xf32>) -> tensor<6x1x1x1x4xf32> {
    %g = graph.filter_gradient %x, %r window [1, 1, 1] strides [1, 1, 1] padding_low [0, 0, 0] dilations [1, 1, 1] groups 1 : tensor<2x5x5x5x4xf32>, tensor<2x5x5x5x6xf32>
    return %g : tensor<6x1x1x1x4xf32>
  }
  func.func @doubles(%x: tensor<2x9x4xf64>, %r: tensor<2x9x6xf64>) -> tensor<6x3x4xf64> {
    %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [1] dilations [1] groups 1 : tensor<2x9x4xf64>, tensor<2x9x6xf64>
    return %g : tensor<6x3x4xf64>
  }
  func.func @ones(%x: tensor<2x9x4xf32>) -> tensor<6x3x4xf32> {
    %r = graph.constant dense<1.000000e+00> : tensor<2x9x6xf32>
    %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [1] dilations [1] groups 1 : tensor<2x9x4xf32>, tensor<2x9x6xf32>
    return %g : tensor<6x3x4xf32>
  }
}

// -----

// Windows that are entirely in the padding have no convolution.
module attributes {GPU} {
  func.func @nowhere(%x: tensor<2x3x4xf64>, %r: tensor<2x1x6xf64>) -> tensor<6x3x4xf64> {
    // expected-error @+1 {{has windows that are in no place of the images}}
    %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [9] dilations [1] groups 1 : tensor<2x3x4xf64>, tensor<2x1x6xf64>
    return %g : tensor<6x3x4xf64>
  }
}

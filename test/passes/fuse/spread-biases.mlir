// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-spread-biases))' | FileCheck %s
// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-spread-biases,weir-form-groups))' | FileCheck %s --check-prefix=GROUPS

// A bias with equal elements becomes a vector and an operand of the group, on either
// side of the addition.
// CHECK-LABEL: func.func @bias
// CHECK: %[[Y:.*]] = graph.convolution
// CHECK: %[[V:.*]] = graph.constant dense_resource<bias{{.*}}> : tensor<8xf32>
// CHECK: %[[B:.*]] = graph.broadcast %[[V]] [3] : tensor<8xf32> to tensor<1x4x4x8xf32>
// CHECK: graph.add %[[B]], %[[Y]] : tensor<1x4x4x8xf32>
// GROUPS-LABEL: func.func @bias
// GROUPS: %[[V:.*]] = graph.constant dense_resource<bias{{.*}}> : tensor<8xf32>
// GROUPS: graph.group(%{{.*}}, %{{.*}}, %[[V]])
module attributes {weir.gpu = #weir.gpu<library = "cudnn">} {
  func.func @bias(%x: tensor<1x4x4x3xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<1x4x4x8xf32> {
    %b = graph.constant dense<0.5> : tensor<1x4x4x8xf32>
    %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x4x3xf32>, tensor<1x1x3x8xf32>
    %z = graph.add %b, %y : tensor<1x4x4x8xf32>
    return %z : tensor<1x4x4x8xf32>
  }
}

// -----

// If f16 values are added in f32, the bias is f16, and the library adds it. A number
// that f16 cannot represent stays.
// CHECK-LABEL: func.func @f16
// CHECK: %[[V:.*]] = graph.constant dense_resource<bias{{.*}}> : tensor<8xf16>
// CHECK: %[[B:.*]] = graph.broadcast %[[V]] [3] : tensor<8xf16> to tensor<1x4x4x8xf16>
// CHECK: %[[C:.*]] = graph.cast %[[B]]
// CHECK: graph.add %{{.*}}, %[[C]] : tensor<1x4x4x8xf32>
// CHECK-LABEL: func.func @fine
// CHECK: %[[B:.*]] = graph.constant dense<1.001000e+00> : tensor<1x4x4x8xf32>
// CHECK: graph.add %{{.*}}, %[[B]] : tensor<1x4x4x8xf32>
module attributes {weir.gpu = #weir.gpu<library = "auto">} {
  func.func @f16(%x: tensor<1x4x4x3xf16>, %w: tensor<1x1x3x8xf16>) -> tensor<1x4x4x8xf32> {
    %b = graph.constant dense<0.5> : tensor<1x4x4x8xf32>
    %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x4x3xf16>, tensor<1x1x3x8xf16>
    %c = graph.cast %y : tensor<1x4x4x8xf16> to tensor<1x4x4x8xf32>
    %z = graph.add %c, %b : tensor<1x4x4x8xf32>
    return %z : tensor<1x4x4x8xf32>
  }
  func.func @fine(%x: tensor<1x4x4x3xf16>, %w: tensor<1x1x3x8xf16>) -> tensor<1x4x4x8xf32> {
    %b = graph.constant dense<1.001> : tensor<1x4x4x8xf32>
    %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x4x3xf16>, tensor<1x1x3x8xf16>
    %c = graph.cast %y : tensor<1x4x4x8xf16> to tensor<1x4x4x8xf32>
    %z = graph.add %c, %b : tensor<1x4x4x8xf32>
    return %z : tensor<1x4x4x8xf32>
  }
}

// -----

// Without a library, or without a product, the number stays in the kernel.
// CHECK-LABEL: func.func @own
// CHECK: %[[B:.*]] = graph.constant dense<5.000000e-01> : tensor<4x8xf32>
// CHECK: graph.add %{{.*}}, %[[B]] : tensor<4x8xf32>
module attributes {weir.gpu = #weir.gpu<>} {
  func.func @own(%x: tensor<4x3xf32>, %w: tensor<3x8xf32>) -> tensor<4x8xf32> {
    %b = graph.constant dense<0.5> : tensor<4x8xf32>
    %y = graph.matmul %x, %w : tensor<4x3xf32>, tensor<3x8xf32>
    %z = graph.add %y, %b : tensor<4x8xf32>
    return %z : tensor<4x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @elements
// CHECK: %[[B:.*]] = graph.constant dense<5.000000e-01> : tensor<4x8xf32>
// CHECK: graph.add %{{.*}}, %[[B]] : tensor<4x8xf32>
module attributes {weir.gpu = #weir.gpu<library = "cudnn">} {
  func.func @elements(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %b = graph.constant dense<0.5> : tensor<4x8xf32>
    %y = graph.exp %x : tensor<4x8xf32>
    %z = graph.add %y, %b : tensor<4x8xf32>
    return %z : tensor<4x8xf32>
  }
}

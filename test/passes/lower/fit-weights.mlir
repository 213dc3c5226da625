// RUN: weir-opt %s -split-input-file -weir-fit-weights | FileCheck %s

// Without a budget each weight gets the fastest form.
// CHECK-LABEL: func.func @no_budget(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK-NOT: weir.transform_at_run
// CHECK-NOT: weir.direct
module {
  func.func @no_budget(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// Filters in 49 products for 9 taps have 802816 bytes, and fit.
// CHECK-LABEL: func.func @fits(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK-NOT: weir.transform_at_run
// CHECK-NOT: weir.direct
module attributes {weir.weights_budget = 802816 : i64} {
  func.func @fits(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// One byte less: each run transforms the filter of 147456 bytes, for 3136 pixels.
// CHECK-LABEL: func.func @many_pixels(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK: graph.convolution {{.*}}weir.transform_at_run
module attributes {weir.weights_budget = 802815 : i64} {
  func.func @many_pixels(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// For 49 pixels a direct sum takes less time than the transform of the filter.
// CHECK-LABEL: func.func @few_pixels(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK: graph.convolution {{.*}}weir.direct
module attributes {weir.weights_budget = 9437184 : i64} {
  func.func @few_pixels(%x: tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<3x3x512x512xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x7x7x512xf32>, tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32>
    return %y : tensor<1x7x7x512xf32>
  }
  func.func private @kernel_0(%x: tensor<1x7x7x512xf32>, %w: tensor<3x3x512x512xf32> {weir.constant}) -> tensor<1x7x7x512xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x7x7x512xf32>, tensor<3x3x512x512xf32>
    return %y : tensor<1x7x7x512xf32>
  }
}

// -----

// If the filters exceed the budget, a filter that f16 represents is stored in half of
// the bytes.
// CHECK-LABEL: func.func @stored_as_f16(
// CHECK: func.func private @kernel_0({{.*}} {weir.constant, weir.stored_as = f16}
// CHECK: graph.convolution {{.*}}weir.transform_at_run
module attributes {weir.weights_budget = 100000 : i64} {
  func.func @stored_as_f16(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<1.5> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// bf16 has fewer digits and a larger range.
// CHECK-LABEL: func.func @stored_as_bf16(
// CHECK: func.func private @kernel_0({{.*}} {weir.constant, weir.stored_as = bf16}
// CHECK: graph.convolution {{.*}}weir.transform_at_run
module attributes {weir.weights_budget = 100000 : i64} {
  func.func @stored_as_bf16(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<65536.0> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// Both tasks share the kernel, so both constants have one form. The second has
// elements that no type of 16 bits represents.
// CHECK-LABEL: func.func @shared(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK: func.func private @kernel_1(
// CHECK-SAME: weir.stored_as = f16
module attributes {weir.weights_budget = 48 : i64} {
  func.func @shared(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) attributes {weir.entry = "serve"} {
    %v = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %w = graph.constant dense<[[0.1, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %u = graph.constant dense<[[1.5, 5.9604644775390625E-8, 65504.0], [-0.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = plan.task @kernel_0(%x, %v) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %z = plan.task @kernel_0(%x, %w) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %a = plan.task @kernel_1(%x, %u) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %y, %z, %a : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<4x2xf32>, tensor<2x3xf32>
    return %y : tensor<4x3xf32>
  }
  func.func private @kernel_1(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<4x2xf32>, tensor<2x3xf32>
    %z = graph.abs %y : tensor<4x3xf32>
    return %z : tensor<4x3xf32>
  }
}

// -----

// A constant that is also an output stays as it is.
// CHECK-LABEL: func.func @read_elsewhere(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
module attributes {weir.weights_budget = 1 : i64} {
  func.func @read_elsewhere(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<2x3xf32>) attributes {weir.entry = "serve"} {
    %v = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = plan.task @kernel_0(%x, %v) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %y, %v : tensor<4x3xf32>, tensor<2x3xf32>
  }
  func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<4x2xf32>, tensor<2x3xf32>
    return %y : tensor<4x3xf32>
  }
}

// -----

// AMX tiles multiply f32 only.
// CHECK-LABEL: func.func @amx(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16">, weir.weights_budget = 1 : i64} {
  func.func @amx(%x: tensor<4x2xf32>) -> tensor<4x3xf32> attributes {weir.entry = "serve"} {
    %v = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = plan.task @kernel_0(%x, %v) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
  func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<4x2xf32>, tensor<2x3xf32>
    return %y : tensor<4x3xf32>
  }
}

// -----

// A filter that is also an output is in the library anyway, so a transform at run time
// needs no further bytes.
// CHECK-LABEL: func.func @filter_read_elsewhere(
// CHECK: func.func private @kernel_0(
// CHECK-NOT: weir.stored_as
// CHECK: graph.convolution {{.*}}weir.transform_at_run
module attributes {weir.weights_budget = 147456 : i64} {
  func.func @filter_read_elsewhere(%x: tensor<1x56x56x64xf32>) -> (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) attributes {weir.entry = "serve"} {
    %w = graph.constant dense<1.5> : tensor<3x3x64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
    return %y, %w : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
  }
  func.func private @kernel_0(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> attributes {weir.kernel} {
    %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %y : tensor<1x56x56x64xf32>
  }
}

// -----

// One row reads panels, and 32 rows the layout of inner-product pairing. Both fit.
// CHECK-LABEL: func.func @two_layouts(
// CHECK: func.func private @kernel_1(
// CHECK-NOT: weir.without_pairing
module attributes {weir.limits_layouts, weir.target = #weir.target<adds_beside = true>, weir.weights_budget = 32768 : i64} {
  func.func @two_layouts(%x: tensor<1x64xf32>, %z: tensor<32x64xf32>) -> (tensor<1x64xf32>, tensor<32x64xf32>) attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %a = plan.task @kernel_1(%z, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %y, %a : tensor<1x64xf32>, tensor<32x64xf32>
  }
  func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<1x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<1x64xf32>, tensor<64x64xf32>
    return %y : tensor<1x64xf32>
  }
  func.func private @kernel_1(%a: tensor<32x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<32x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<32x64xf32>, tensor<64x64xf32>
    return %y : tensor<32x64xf32>
  }
}

// -----

// Both layouts exceed the budget, so all rows read panels.
// CHECK-LABEL: func.func @one_layout(
// CHECK: func.func private @kernel_0({{.*}}weir.without_pairing
// CHECK: func.func private @kernel_1({{.*}}weir.without_pairing
module attributes {weir.limits_layouts, weir.target = #weir.target<adds_beside = true>, weir.weights_budget = 32767 : i64} {
  func.func @one_layout(%x: tensor<1x64xf32>, %z: tensor<32x64xf32>) -> (tensor<1x64xf32>, tensor<32x64xf32>) attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %a = plan.task @kernel_1(%z, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %y, %a : tensor<1x64xf32>, tensor<32x64xf32>
  }
  func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<1x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<1x64xf32>, tensor<64x64xf32>
    return %y : tensor<1x64xf32>
  }
  func.func private @kernel_1(%a: tensor<32x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<32x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<32x64xf32>, tensor<64x64xf32>
    return %y : tensor<32x64xf32>
  }
}

// -----

// Without the attribute a second layout does not count.
// CHECK-LABEL: func.func @by_default(
// CHECK: func.func private @kernel_1(
// CHECK-NOT: weir.without_pairing
module attributes {weir.target = #weir.target<adds_beside = true>, weir.weights_budget = 16384 : i64} {
  func.func @by_default(%x: tensor<1x64xf32>, %z: tensor<32x64xf32>) -> (tensor<1x64xf32>, tensor<32x64xf32>) attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.1> : tensor<64x64xf32>
    %y = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %a = plan.task @kernel_1(%z, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %y, %a : tensor<1x64xf32>, tensor<32x64xf32>
  }
  func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<1x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<1x64xf32>, tensor<64x64xf32>
    return %y : tensor<1x64xf32>
  }
  func.func private @kernel_1(%a: tensor<32x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<32x64xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<32x64xf32>, tensor<64x64xf32>
    return %y : tensor<32x64xf32>
  }
}

// -----

// The rest of the budget is for the bf16 terms of weights in the AMX tile layout.
// CHECK-LABEL: module attributes
// CHECK-SAME: weir.weights_left = 76 : i64
module attributes {weir.limits_layouts, weir.weights_budget = 100 : i64} {
  func.func @parts(%x: tensor<4x2xf32>) -> tensor<4x3xf32> attributes {weir.entry = "serve"} {
    %v = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %y = plan.task @kernel_0(%x, %v) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
  func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
    %y = graph.matmul %a, %w : tensor<4x2xf32>, tensor<2x3xf32>
    return %y : tensor<4x3xf32>
  }
}

// RUN: weir-opt %s --split-input-file --verify-diagnostics --weir-outline-packs | FileCheck %s

// The filter is no constant, so a separate task packs it before each run.
// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x4xf32>, %[[W:.*]]: tensor<3x3x4x20xf32>
// CHECK: %[[P:.*]] = plan.task @k_filter(%[[W]]) : (tensor<3x3x4x20xf32>) -> tensor<20x3x3x4x1xf32>
// CHECK: plan.task @k(%[[X]], %[[P]]) : (tensor<1x8x8x4xf32>, tensor<20x3x3x4x1xf32>)
// CHECK: plan.task @k_filter(
// CHECK: plan.task @k(
// CHECK: func.func private @k_filter(%[[F:.*]]: tensor<3x3x4x20xf32>) -> tensor<20x3x3x4x1xf32> attributes {weir.kernel}
// CHECK: kernel.pack_filter ins(%[[F]] : tensor<3x3x4x20xf32>) groups 1
// CHECK: func.func private @k(%{{.*}}: tensor<1x8x8x4xf32>, %[[T:.*]]: tensor<20x3x3x4x1xf32>)
// CHECK-NOT: pack_filter
// CHECK: kernel.convolution ins(%{{.*}}, %[[T]] :
func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x20xf32>) -> (tensor<1x6x6x20xf32>, tensor<1x6x6x20xf32>) {
  %y = plan.task @k(%x, %w) : (tensor<1x8x8x4xf32>, tensor<3x3x4x20xf32>) -> tensor<1x6x6x20xf32>
  %z = plan.task @k(%x, %w) : (tensor<1x8x8x4xf32>, tensor<3x3x4x20xf32>) -> tensor<1x6x6x20xf32>
  return %y, %z : tensor<1x6x6x20xf32>, tensor<1x6x6x20xf32>
}
func.func private @k(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x20xf32>) -> tensor<1x6x6x20xf32> attributes {weir.conv = #weir.conv<images = 1, inputs = 4, outputs = 20, size = [8, 8], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32>, weir.kernel} {
  %e = tensor.empty() : tensor<20x3x3x4x1xf32>
  %p = kernel.pack_filter ins(%w : tensor<3x3x4x20xf32>) groups 1 layout <k_major> outs(%e : tensor<20x3x3x4x1xf32>) -> tensor<20x3x3x4x1xf32>
  %o = tensor.empty() : tensor<1x6x6x20xf32>
  %c = kernel.convolution ins(%x, %p : tensor<1x8x8x4xf32>, tensor<20x3x3x4x1xf32>) layout <k_major> outs(%o : tensor<1x6x6x20xf32>) -> tensor<1x6x6x20xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %c : tensor<1x6x6x20xf32>
}

// -----

// A kernel of the compiler packs its own filter.
// CHECK-LABEL: func.func private @own
// CHECK: kernel.pack_filter
func.func private @own(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x20xf32>) -> tensor<2x3x3x4x16xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x3x3x4x16xf32>
  %p = kernel.pack_filter ins(%w : tensor<3x3x4x20xf32>) groups 1 layout <panels(16)> outs(%e : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
  return %p : tensor<2x3x3x4x16xf32>
}

// -----

func.func private @made(%w: tensor<3x3x4x20xf32>) -> tensor<20x3x3x4x1xf32> attributes {weir.conv = #weir.conv<images = 1, inputs = 4, outputs = 20, size = [8, 8], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32>, weir.kernel} {
  %zero = arith.constant dense<0.0> : tensor<3x3x4x20xf32>
  %e = tensor.empty() : tensor<20x3x3x4x1xf32>
  // expected-error @below {{packs for a library what is no argument, or is used besides}}
  %p = kernel.pack_filter ins(%zero : tensor<3x3x4x20xf32>) groups 1 layout <k_major> outs(%e : tensor<20x3x3x4x1xf32>) -> tensor<20x3x3x4x1xf32>
  return %p : tensor<20x3x3x4x1xf32>
}

// RUN: weir-opt %s -split-input-file --weir-fold-pads | FileCheck %s

// Zero padding becomes part of the convolution's padding.
// CHECK-LABEL: @margin
// CHECK: graph.convolution %arg0, %arg1 strides [1, 2] padding_low [1, 2] padding_high [1, 5]
// CHECK-NEXT: return
func.func @margin(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x8x7x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 1, 2, 0] high [0, 1, 4, 0] interior [0, 0, 0, 0] : tensor<1x8x8x3xf32>
  %y = graph.convolution %p, %w strides [1, 2] padding_low [0, 0] padding_high [0, 1] dilations [1, 1] groups 1 : tensor<1x10x14x3xf32>, tensor<3x3x3x4xf32>
  return %y : tensor<1x8x7x4xf32>
}

// -----

// Padding with another value stays, and so does padding between elements, of images or
// of channels.
// CHECK-LABEL: @ones
// CHECK: graph.pad
// CHECK: padding_low [0]
func.func @ones(%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x8x4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.pad %x, %one low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.convolution %p, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x10x3xf32>, tensor<3x3x4xf32>
  return %y : tensor<1x8x4xf32>
}
// CHECK-LABEL: @gaps
// CHECK: graph.pad
func.func @gaps(%x: tensor<1x4x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x5x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 0, 0] high [0, 0, 0] interior [0, 1, 0] : tensor<1x4x3xf32>
  %y = graph.convolution %p, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x7x3xf32>, tensor<3x3x4xf32>
  return %y : tensor<1x5x4xf32>
}
// CHECK-LABEL: @channels
// CHECK: graph.pad
func.func @channels(%x: tensor<1x4x2xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x2x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 0, 1] high [0, 0, 0] interior [0, 0, 0] : tensor<1x4x2xf32>
  %y = graph.convolution %p, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x4x3xf32>, tensor<3x3x4xf32>
  return %y : tensor<1x2x4xf32>
}

// -----

// Zeros are never larger than the results of relu.
// CHECK-LABEL: @rectified
// CHECK: %[[R:.*]] = graph.relu
// CHECK-NEXT: graph.pool_max %[[R]] window [3, 3] strides [2, 2] padding_low [1, 1] padding_high [1, 0]
// CHECK-NEXT: return
func.func @rectified(%x: tensor<1x8x7x3xf32>) -> tensor<1x4x3x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.relu %x : tensor<1x8x7x3xf32>
  %p = graph.pad %r, %zero low [0, 1, 1, 0] high [0, 1, 0, 0] interior [0, 0, 0, 0] : tensor<1x8x7x3xf32>
  %y = graph.pool_max %p window [3, 3] strides [2, 2] padding_low [0, 0] padding_high [0, 0] : tensor<1x10x8x3xf32>
  return %y : tensor<1x4x3x3xf32>
}
// Elements of minus infinity are never the maximum, either.
// CHECK-LABEL: @infinite
// CHECK-NOT: graph.pad
// CHECK: graph.pool_max %arg0 window [3] strides [1] padding_low [2] padding_high [1]
func.func @infinite(%x: tensor<1x8x3xf32>) -> tensor<1x9x3xf32> {
  %lowest = graph.constant dense<0xFF800000> : tensor<f32>
  %p = graph.pad %x, %lowest low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_max %p window [3] strides [1] padding_low [1] padding_high [0] : tensor<1x10x3xf32>
  return %y : tensor<1x9x3xf32>
}

// -----

// Zeros may be the maximum of arbitrary numbers, or of a window of padding alone.
// CHECK-LABEL: @any
// CHECK: graph.pad
func.func @any(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_max %p window [3] strides [1] padding_low [0] padding_high [0] : tensor<1x10x3xf32>
  return %y : tensor<1x8x3xf32>
}
// CHECK-LABEL: @outside
// CHECK: graph.pad
func.func @outside(%x: tensor<1x8x3xf32>) -> tensor<1x9x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.relu %x : tensor<1x8x3xf32>
  %p = graph.pad %r, %zero low [0, 2, 0] high [0, 0, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_max %p window [2] strides [1] padding_low [0] padding_high [0] : tensor<1x10x3xf32>
  return %y : tensor<1x9x3xf32>
}

// -----

// A mean counts the zeros around its images.
// CHECK-LABEL: @mean
// CHECK: graph.pool_average %arg0 window [3, 3] strides [2, 1] padding_low [1, 0] padding_high [1, 2] {counts_padding}
// CHECK-NEXT: return
func.func @mean(%x: tensor<1x8x7x3xf32>) -> tensor<1x4x7x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 1, 0, 0] high [0, 1, 2, 0] interior [0, 0, 0, 0] : tensor<1x8x7x3xf32>
  %y = graph.pool_average %p window [3, 3] strides [2, 1] padding_low [0, 0] padding_high [0, 0] : tensor<1x10x9x3xf32>
  return %y : tensor<1x4x7x3xf32>
}
// Two paddings that a mean counts become one.
// CHECK-LABEL: @mean_of_both
// CHECK: graph.pool_average %arg0 window [4] strides [1] padding_low [2] padding_high [1] {counts_padding}
// CHECK-NEXT: return
func.func @mean_of_both(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_average %p window [4] strides [1] padding_low [1] padding_high [0] {counts_padding} : tensor<1x10x3xf32>
  return %y : tensor<1x8x3xf32>
}

// -----

// A padding beside one that does not count stays, and so does one with windows of zeros
// alone.
// CHECK-LABEL: @mean_of_elements
// CHECK: graph.pad
// CHECK: padding_low [1] padding_high [0] :
func.func @mean_of_elements(%x: tensor<1x8x3xf32>) -> tensor<1x9x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 1, 0] high [0, 1, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_average %p window [3] strides [1] padding_low [1] padding_high [0] : tensor<1x10x3xf32>
  return %y : tensor<1x9x3xf32>
}
// CHECK-LABEL: @mean_outside
// CHECK: graph.pad
func.func @mean_outside(%x: tensor<1x8x3xf32>) -> tensor<1x9x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero low [0, 2, 0] high [0, 0, 0] interior [0, 0, 0] : tensor<1x8x3xf32>
  %y = graph.pool_average %p window [2] strides [1] padding_low [0] padding_high [0] : tensor<1x10x3xf32>
  return %y : tensor<1x9x3xf32>
}

// The verifier refuses these ops of family Neural.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @wider(%a: tensor<2x3xf16>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{cannot multiply}}
  %c = graph.matmul %a, %b : tensor<2x3xf16>, tensor<3x4xf32>
  return
}

// -----

func.func @batches(%a: tensor<2x2x3xf32>, %b: tensor<3x3x4xf32>) {
  // expected-error @+1 {{cannot multiply}}
  %c = graph.matmul %a, %b : tensor<2x2x3xf32>, tensor<3x3x4xf32>
  return
}

// -----

func.func @contracted(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{contracts 2 elements of}}
  %c = graph.matmul %a, %b transpose_a : tensor<2x3xf32>, tensor<3x4xf32>
  return
}

// -----

func.func @ranks(%x: tensor<1x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error @+1 {{cannot convolve}}
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x8x3xf32>, tensor<3x3x3x4xf32>
  return
}

// -----

func.func @attributes(%x: tensor<1x8x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error @+1 {{needs strides, paddings and dilations for 1 dimensions}}
  %y = graph.convolution %x, %w strides [1, 1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x8x3xf32>, tensor<3x3x4xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x8x4xf32>, %w: tensor<3x4x4xf32>) {
  // expected-error @+1 {{has 4 channels in 2 groups}}
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 2 : tensor<1x8x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @too_large(%x: tensor<1x8x4xf32>, %w: tensor<3x4x4xf32>) {
  // expected-error @+1 {{has no place for a window of 3 in dimension 1}}
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [4] groups 1 : tensor<1x8x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @overflow(%x: tensor<1x8x4xf32>, %w: tensor<3x4x4xf32>) {
  // expected-error @+1 {{has no place for a window of 3 in dimension 1}}
  %y = graph.convolution %x, %w strides [1] padding_low [9223372036854775807] padding_high [0] dilations [1] groups 1 : tensor<1x8x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @stride(%x: tensor<1x8x4xf32>, %w: tensor<3x4x4xf32>) {
  // expected-error @+1 {{has no place for a window of 3 in dimension 1}}
  %y = graph.convolution %x, %w strides [0] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x8x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @flat(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{has no spatial dimensions}}
  %y = graph.pool_max %x window [] strides [] padding_low [] padding_high [] : tensor<8x4xf32>
  return
}

// -----

func.func @pool_attributes(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{needs windows, strides and paddings for 1 dimensions}}
  %y = graph.pool_average %x window [2, 2] strides [1] padding_low [0] padding_high [0] : tensor<1x8x4xf32>
  return
}

// -----

func.func @pool_padding(%x: tensor<1x8x4xf32>) {
  // expected-error @+1 {{has no place for a window of 2 in dimension 1}}
  %y = graph.pool_arg_max %x window [2] strides [1] padding_low [2] padding_high [0] : tensor<1x8x4xf32>
  return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error @+1 {{needs a last dimension}}
  %y = graph.softmax %x : tensor<f32>
  return
}

// -----

func.func @boxes(%b: tensor<8x3xf32>, %c: tensor<8xf32>, %t: tensor<f32>, %m: tensor<i32>) {
  // expected-error @+1 {{takes boxes N x 4 and N scores}}
  %i, %s, %n = graph.suppress %b, %c, %t, %t, %t, %m limit 5 : tensor<8x3xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return
}

// -----

func.func @limit(%b: tensor<8x4xf32>, %c: tensor<8xf32>, %t: tensor<f32>, %m: tensor<i32>) {
  // expected-error @+1 {{cannot take -1 boxes}}
  %i, %s, %n = graph.suppress %b, %c, %t, %t, %t, %m limit -1 : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return
}

// -----

func.func @log_softmax_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{needs a last dimension}}
  %y = graph.log_softmax %x : tensor<f32>
  return
}

// -----

func.func @matmul_size(%x: tensor<1073741824x1xf32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.matmul %x, %x transpose_b : tensor<1073741824x1xf32>, tensor<1073741824x1xf32>
  return
}

// -----

func.func @convolution_size(%x: tensor<1x2x2x1xf32>, %w: tensor<3x3x1x1xf32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [1099511627776, 1099511627776] dilations [1, 1] groups 1 : tensor<1x2x2x1xf32>, tensor<3x3x1x1xf32>
  return
}

// -----

func.func @images(%x: tensor<2x8x3xf32>, %r: tensor<3x6x4xf32>) {
  // expected-error @+1 {{cannot pair images}}
  %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [0] dilations [1] groups 1 : tensor<2x8x3xf32>, tensor<3x6x4xf32>
  return
}

// -----

func.func @gradient_attributes(%x: tensor<2x8x3xf32>, %r: tensor<2x6x4xf32>) {
  // expected-error @+1 {{needs windows, strides, paddings and dilations for 1 dimensions}}
  %g = graph.filter_gradient %x, %r window [3, 1] strides [1] padding_low [0] dilations [1] groups 1 : tensor<2x8x3xf32>, tensor<2x6x4xf32>
  return
}

// -----

func.func @gradient_groups(%x: tensor<2x8x4xf32>, %r: tensor<2x6x3xf32>) {
  // expected-error @+1 {{has 4 and 3 channels in 2 groups}}
  %g = graph.filter_gradient %x, %r window [3] strides [1] padding_low [0] dilations [1] groups 2 : tensor<2x8x4xf32>, tensor<2x6x3xf32>
  return
}

// -----

func.func @gradient_windows(%x: tensor<2x8x3xf32>, %r: tensor<2x6x4xf32>) {
  // expected-error @+1 {{has no 6 windows of 3 in dimension 1}}
  %g = graph.filter_gradient %x, %r window [3] strides [9223372036854775807] padding_low [0] dilations [1] groups 1 : tensor<2x8x3xf32>, tensor<2x6x4xf32>
  return
}

// -----

// (C3)
func.func @matmul_depth(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %n: tensor<i64>) {
  // expected-error @+1 {{has a depth for 'tensor<2x3xf16>' and 'tensor<3x4xf16>'}}
  %c = graph.matmul %a, %b depth %n : tensor<2x3xf16>, tensor<3x4xf16>
  return
}

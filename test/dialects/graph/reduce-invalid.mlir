// What the ops of family Reduce refuse.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @reduce_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions [1, 1] are not ascending dimensions of}}
  %y = graph.reduce_sum %x [1, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c1_outside(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions [2] are not ascending dimensions of}}
  %y = graph.reduce_max %x [2] : tensor<2x3xf32>
  return
}

// -----

func.func @arg_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 2 is no dimension of}}
  %y = graph.arg_max %x axis 2 : tensor<2x3xf32> to tensor<2xi64>
  return
}

// -----

func.func @arg_c1_empty(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{finds no element along axis 1}}
  %y = graph.arg_min %x axis 1 : tensor<2x0xf32> to tensor<2xi64>
  return
}

// -----

func.func @arg_c2_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{along axis 1}}
  %y = graph.arg_max %x axis 1 : tensor<2x3xf32> to tensor<3xi64>
  return
}

// -----

func.func @cumulative_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis -1 is no dimension of}}
  %y = graph.cumulative_sum %x axis -1 : tensor<2x3xf32>
  return
}

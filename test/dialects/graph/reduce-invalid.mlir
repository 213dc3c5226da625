// The verifier refuses these ops of family Reduce.
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

// -----

func.func @reduce_min_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions [2] are not ascending dimensions of}}
  %y = graph.reduce_min %x [2] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_prod_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{dimensions [2] are not ascending dimensions of}}
  %y = graph.reduce_prod %x [2] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_and_c1(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{dimensions [2] are not ascending dimensions of}}
  %y = graph.reduce_and %x [2] : tensor<2x3xi1>
  return
}

// -----

func.func @reduce_or_c1(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{dimensions [2] are not ascending dimensions of}}
  %y = graph.reduce_or %x [2] : tensor<2x3xi1>
  return
}

// -----

func.func @cumulative_prod_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 2 is no dimension of}}
  %y = graph.cumulative_prod %x axis 2 : tensor<2x3xf32>
  return
}

// -----

func.func @cumulative_log_sum_exp_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 2 is no dimension of}}
  %y = graph.cumulative_log_sum_exp %x axis 2 : tensor<2x3xf32>
  return
}

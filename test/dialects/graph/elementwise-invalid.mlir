// The verifier refuses these ops of family Elementwise.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @bitcast_c1_width(%x: tensor<4xf32>) {
  // expected-error @+1 {{gives 'f32' the bits of 'i16'}}
  %y = graph.bitcast %x : tensor<4xf32> to tensor<4xi16>
  return
}

// -----

func.func @select_c1_shape(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{all of {predicate, x, y} have same shape}}
  %y = graph.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  return
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires the same shape}}
  %y = graph.cast %x : tensor<4xf32> to tensor<2xi32>
  return
}

// -----

func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = graph.exp %x : tensor<4xi32>
  return
}

// -----

func.func @and_of_numbers(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = graph.logical_and %x, %x : tensor<4xi32>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{statically shaped}}
  %y = graph.exp %x : tensor<?xf32>
  return
}

// RUN: weir-opt %s -split-input-file -verify-diagnostics

// (C1)
func.func @types(%c: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %dx = "graph.gradient"(%c, %x) : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Only floats have gradients.
func.func @floats(%c: tensor<f32>, %x: tensor<4xi32>) {
  // expected-error @below {{variadic of statically shaped tensor}}
  %dx = graph.gradient %c of %x : tensor<f32>, (tensor<4xi32>)
  return
}

// -----

func.func @loss(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be statically shaped tensor}}
  %dx = graph.gradient %c of %x : tensor<i1>, (tensor<4xf32>)
  return
}

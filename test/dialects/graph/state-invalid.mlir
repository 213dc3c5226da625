// RUN: weir-opt %s -split-input-file -verify-diagnostics

// (C1) of a variable
// expected-error @below {{is of 'tensor<?xf32>', which no variable can be}}
graph.variable @dynamic : tensor<?xf32>

// -----

// expected-error @below {{is of 'tensor<4xcomplex<f32>>', which no variable can be}}
graph.variable @complex : tensor<4xcomplex<f32>>

// -----

// (C2) of a variable
// expected-error @below {{starts as a 'tensor<2xf32>' but is a 'tensor<4xf32>'}}
graph.variable @other : tensor<4xf32> = dense<0.0> : tensor<2xf32>

// -----

// (C1) of a read
func.func private @f()
func.func @reads_nothing() {
  // expected-error @below {{names @f, which is no variable}}
  %w = graph.read_variable @f : tensor<4xf32>
  return
}

// -----

// (C2) of a read
graph.variable @w : tensor<4xf32>
func.func @reads_other() {
  // expected-error @below {{is for 'tensor<2xf32>', but @w is a 'tensor<4xf32>'}}
  %w = graph.read_variable @w : tensor<2xf32>
  return
}

// -----

// (C1) of an assignment
func.func @writes_nothing(%x: tensor<4xf32>) {
  // expected-error @below {{names @w, which is no variable}}
  graph.write_variable @w, %x : tensor<4xf32>
  return
}

// -----

// (C2) of an assignment
graph.variable @w : tensor<4xf32>
func.func @writes_other(%x: tensor<2xf32>) {
  // expected-error @below {{is for 'tensor<2xf32>', but @w is a 'tensor<4xf32>'}}
  graph.write_variable @w, %x : tensor<2xf32>
  return
}

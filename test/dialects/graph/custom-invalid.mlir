// The verifier refuses these ops of family Custom.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

// (C1)
func.func @status(%x: tensor<4xf32>) {
  // expected-error @+1 {{has no last result of 'tensor<2xi32>'}}
  %y, %failed = graph.custom "f"(%x) parts 2 scratch 0 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xi32>)
  return
}

// -----

// (C2)
func.func @parts(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 0 parts and 0 bytes of scratch}}
  %y, %failed = graph.custom "f"(%x) parts 0 scratch 0 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<0xi32>)
  return
}

// -----

// (C2)
func.func @scratch(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 parts and -5 bytes of scratch}}
  %y, %failed = graph.custom "f"(%x) parts 1 scratch -5 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xi32>)
  return
}

// -----

// (C3)
func.func @symbol(%x: tensor<4xf32>) {
  // expected-error @+1 {{calls 'a b', which is no name in C}}
  %y, %failed = graph.custom "a b"(%x) parts 1 scratch 0 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xi32>)
  return
}

// -----

// (C4)
func.func @types(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 types for 2 tensors}}
  %y, %failed = graph.custom "f"(%x) parts 1 scratch 0 dtypes [3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xi32>)
  return
}

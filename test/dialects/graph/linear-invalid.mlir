// The verifier refuses these ops of family Linear.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @cholesky(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{needs square matrices}}
  %l = graph.cholesky %x : tensor<3x4xf32>
  return
}

// -----

func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{cannot solve}}
  %x = graph.triangular_solve %a, %b lower : tensor<3x3xf32>, tensor<4x2xf32>
  return
}

// -----

func.func @lu(%x: tensor<3xf32>) {
  // expected-error @+1 {{needs square matrices}}
  %lu, %p, %s = graph.lu %x : tensor<3xf32>
  return
}

// -----

func.func @qr(%x: tensor<3xf32>) {
  // expected-error @+1 {{needs matrices}}
  %q, %r = graph.qr %x : tensor<3xf32>
  return
}

// -----

func.func @svd(%x: tensor<f32>) {
  // expected-error @+1 {{needs matrices}}
  %s, %u, %v = graph.svd %x full : tensor<f32>
  return
}

// -----

func.func @f16(%x: tensor<3x3xf16>) {
  // expected-error @+1 {{must be statically shaped tensor of 32-bit float or 64-bit float values}}
  %l = graph.cholesky %x : tensor<3x3xf16>
  return
}

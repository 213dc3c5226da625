// Special functions fold if their scalar functions have no loops.
// RUN: weir-opt %s -canonicalize | FileCheck %s

// The arguments are far from 0, and on both sides of it.
// CHECK-LABEL: @error_function
// CHECK: graph.constant dense<[2.0884875837625449E-45, 0.47950012218695{{[0-9]*}}, 1.52049987781304{{[0-9]*}}]> : tensor<3xf64>
func.func @error_function() -> tensor<3xf64> {
  %x = graph.constant dense<[10.0, 0.5, -0.5]> : tensor<3xf64>
  %y = graph.erfc %x : tensor<3xf64>
  return %y : tensor<3xf64>
}

// Near its zero at 1 the logarithm of gamma keeps all digits.
// CHECK-LABEL: @logarithm_of_gamma
// CHECK: graph.constant dense<[12.80182748008{{[0-9]*}}, 1.2655121234846{{[0-9]*}}, 5.77223889609{{[0-9]*}}E-6, 0x7FF0000000000000]> : tensor<4xf64>
func.func @logarithm_of_gamma() -> tensor<4xf64> {
  %x = graph.constant dense<[10.0, -0.5, 0.99999, -2.0]> : tensor<4xf64>
  %y = graph.lgamma %x : tensor<4xf64>
  return %y : tensor<4xf64>
}

// CHECK-LABEL: @digamma
// CHECK: graph.constant dense<[2.251752589066{{[0-9]*}}, 0.03648997397857{{[0-9]*}}, 0x7FF8000000000000]> : tensor<3xf64>
func.func @digamma() -> tensor<3xf64> {
  %x = graph.constant dense<[10.0, -0.5, -2.0]> : tensor<3xf64>
  %y = graph.digamma %x : tensor<3xf64>
  return %y : tensor<3xf64>
}

// Functions with loops do not fold.
// CHECK-LABEL: @incomplete_gamma
// CHECK: graph.igamma
func.func @incomplete_gamma() -> tensor<f64> {
  %x = graph.constant dense<2.0> : tensor<f64>
  %y = graph.igamma %x, %x : tensor<f64>
  return %y : tensor<f64>
}

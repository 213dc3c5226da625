// Factorizations and solvers, against NumPy.

// RUN: weir reference %s --function=cholesky --input=input0=2x2xf32=4,2,2,3 | FileCheck %s --check-prefix=CHOLESKY
// CHOLESKY: output0: 2x2xf32=2,0,1,1.41421354{{$}}
func.func @cholesky(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = graph.cholesky %a : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// RUN: weir reference %s --function=solve --input=input0=2x2xf64=2,9,1,4 --input=input1=2x1xf64=2,9 | FileCheck %s --check-prefix=SOLVE
// SOLVE: output0: 2x1xf64=1,2{{$}}
// SOLVE: output1: 2x1xf64=-7,9{{$}}
func.func @solve(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>) {
  %x = graph.triangular_solve %a, %b lower : tensor<2x2xf64>, tensor<2x1xf64>
  %u = graph.triangular_solve %a, %b lower adjoint unit : tensor<2x2xf64>, tensor<2x1xf64>
  return %x, %u : tensor<2x1xf64>, tensor<2x1xf64>
}

// RUN: weir reference %s --function=lu --input=input0=2x2xf64=1,2,4,4 | FileCheck %s --check-prefix=LU
// LU: output0: 2x2xf64=4,4,0.25,1{{$}}
// LU: output1: 2xi32=1,0{{$}}
// LU: output2: f64=-1{{$}}
func.func @lu(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<f64>) {
  %f, %p, %s = graph.lu %a : tensor<2x2xf64>
  return %f, %p, %s : tensor<2x2xf64>, tensor<2xi32>, tensor<f64>
}

// RUN: weir reference %s --function=qr --input=input0=2x2xf32=3,1,4,2 | FileCheck %s --check-prefix=QR
// QR: output0: 2x2xf32=-0.600000024,-0.800000012,-0.800000012,0.600000024{{$}}
// QR: output1: 2x2xf32=-5,-2.20000005,0,0.400000006{{$}}
func.func @qr(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %q, %r = graph.qr %a : tensor<2x2xf32>
  return %q, %r : tensor<2x2xf32>, tensor<2x2xf32>
}

// The first column of u has the sign of x, and the last one is missing from x.
// RUN: weir reference %s --function=svd --input=input0=3x2xf32=3,0,0,-4,0,0 | FileCheck %s --check-prefix=SVD
// SVD: output0: 2xf32=4,3{{$}}
// SVD: output1: 3x3xf32=0,1,0,-1,0,0,0,0,1{{$}}
// SVD: output2: 2x2xf32=0,1,1,0{{$}}
func.func @svd(%a: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>) {
  %s, %u, %v = graph.svd %a full : tensor<3x2xf32>
  return %s, %u, %v : tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>
}

// RUN: weir reference %s --function=svd_values --input=input0=2x2xf32=2,1,1,3 | FileCheck %s --check-prefix=SVD-VALUES
// SVD-VALUES: output0: 2xf32=3.61803389,1.38196599{{$}}
func.func @svd_values(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %s, %u, %v = graph.svd %a : tensor<2x2xf32>
  return %s : tensor<2xf32>
}

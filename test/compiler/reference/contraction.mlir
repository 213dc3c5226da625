// Products and convolutions, against NumPy.

// RUN: weir reference %s --function=matmul --input=input0=2x3xf32=1.25,-1.75,-1.25,-1,-1.25,1.25 --input=input1=3x2xf32=1.5,0.25,-2,-1.75,-0.75,-0.25 | FileCheck %s --check-prefix=MATMUL
// MATMUL: output0: 2x2xf32=6.3125,3.6875,0.0625,1.625{{$}}
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %y = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x2xf32>
  return %y : tensor<2x2xf32>
}

// With a depth of 2.
// RUN: weir reference %s --function=matmul_transposed --input=input0=3x2xf32=1.25,-1,-1.75,-1.25,-1.25,1.25 --input=input1=2x3xf32=1.5,-2,-0.75,0.25,-1.75,-0.25 --input=input2=i64=2 | FileCheck %s --check-prefix=MATMUL-TRANSPOSED
// MATMUL-TRANSPOSED: output0: 2x2xf32=5.375,3.375,1,1.9375{{$}}
func.func @matmul_transposed(%a: tensor<3x2xf32>, %b: tensor<2x3xf32>, %c: tensor<i64>) -> tensor<2x2xf32> {
  %y = graph.matmul %a, %b transpose_a transpose_b depth %c : tensor<3x2xf32>, tensor<2x3xf32>
  return %y : tensor<2x2xf32>
}

// RUN: weir reference %s --function=matmul_bytes --input=input0=1x2xui8=200,3 --input=input1=2x1xi8=-100,7 | FileCheck %s --check-prefix=MATMUL-BYTES
// MATMUL-BYTES: output0: 1x1xi32=-19979{{$}}
func.func @matmul_bytes(%a: tensor<1x2xui8>, %b: tensor<2x1xi8>) -> tensor<1x1xi32> {
  %y = graph.matmul %a, %b : tensor<1x2xui8>, tensor<2x1xi8>
  return %y : tensor<1x1xi32>
}

// RUN: weir reference %s --function=convolution --input=input0=1x5x2xf32=0.5,0,-1,-1.5,0.75,1,-2,-1.75,-0.25,-0.5 --input=input1=3x1x4xf32=1.75,0,-0.25,-0.25,0.75,0.25,-1.5,1,1,2,1.25,-1 | FileCheck %s --check-prefix=CONVOLUTION
// CONVOLUTION: output0: 1x2x4xf32=-2.75,-4.25,0.0625,0.25,-3.25,-0.5,3,-1.375{{$}}
func.func @convolution(%a: tensor<1x5x2xf32>, %b: tensor<3x1x4xf32>) -> tensor<1x2x4xf32> {
  %y = graph.convolution %a, %b strides [2] padding_low [1] padding_high [2] dilations [2] groups 2 : tensor<1x5x2xf32>, tensor<3x1x4xf32>
  return %y : tensor<1x2x4xf32>
}

// RUN: weir reference %s --function=filter_gradient --input=input0=1x5x2xf32=0.5,0,-1,-1.5,0.75,1,-2,-1.75,-0.25,-0.5 --input=input1=1x2x4xf32=-2,1,1,2,3,-2,4,-4 | FileCheck %s --check-prefix=FILTER-GRADIENT
// FILTER-GRADIENT: output0: 4x3x1xf32=-3,-4,4,2,3,-2,-6,-8.5,-1.75,6,4,-3.5{{$}}
func.func @filter_gradient(%a: tensor<1x5x2xf32>, %b: tensor<1x2x4xf32>) -> tensor<4x3x1xf32> {
  %y = graph.filter_gradient %a, %b window [3] strides [2] padding_low [1] dilations [2] groups 2 : tensor<1x5x2xf32>, tensor<1x2x4xf32>
  return %y : tensor<4x3x1xf32>
}

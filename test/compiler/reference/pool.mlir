// Pools, softmax and non-maximum suppression, against NumPy.

// RUN: weir reference %s --function=pools --input=input0=1x4x1xf32=1,5,2,4 | FileCheck %s --check-prefix=POOLS
// POOLS: output0: 1x3x1xf32=1,5,4{{$}}
// POOLS: output1: 1x3x1xi64=0,1,3{{$}}
// POOLS: output2: 1x3x1xf32=1,3.5,4{{$}}
// POOLS: output3: 1x3x1xf32=0.5,3.5,2{{$}}
func.func @pools(%a: tensor<1x4x1xf32>) -> (tensor<1x3x1xf32>, tensor<1x3x1xi64>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) {
  %m = graph.pool_max %a window [2] strides [2] padding_low [1] padding_high [1] : tensor<1x4x1xf32>
  %i = graph.pool_arg_max %a window [2] strides [2] padding_low [1] padding_high [1] : tensor<1x4x1xf32>
  %v = graph.pool_average %a window [2] strides [2] padding_low [1] padding_high [1] : tensor<1x4x1xf32>
  %w = graph.pool_average %a window [2] strides [2] padding_low [1] padding_high [1] {counts_padding} : tensor<1x4x1xf32>
  return %m, %i, %v, %w : tensor<1x3x1xf32>, tensor<1x3x1xi64>, tensor<1x3x1xf32>, tensor<1x3x1xf32>
}

// RUN: weir reference %s --function=softmax --input=input0=1x3xf32=1,2,4 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: output0: 1x3xf32=0.0420100652,0.114195198,0.843794763{{$}}
// SOFTMAX: output1: 1x3xf32=-3.16984606,-2.16984606,-0.169846013{{$}}
func.func @softmax(%a: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %s = graph.softmax %a : tensor<1x3xf32>
  %l = graph.log_softmax %a : tensor<1x3xf32>
  return %s, %l : tensor<1x3xf32>, tensor<1x3xf32>
}

// RUN: weir reference %s --function=masked --input=input0=1x2xf32=-inf,-inf | FileCheck %s --check-prefix=MASKED
// MASKED: output0: 1x2xf32=0,0{{$}}
func.func @masked(%a: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %s = graph.softmax %a masked : tensor<1x2xf32>
  return %s : tensor<1x2xf32>
}

// The first box overlaps the second one by 0.9.
// RUN: weir reference %s --function=suppress --input=input0=3x4xf32=0,0,1,1,0,0,1,0.899999976,2,2,3,3 --input=input1=3xf32=0.5,0.899999976,0.699999988 --input=input2=f32=0.5 --input=input3=f32=0.100000001 --input=input4=f32=0 --input=input5=i32=3 | FileCheck %s --check-prefix=SUPPRESS
// SUPPRESS: output0: 3xi32=1,2,0{{$}}
// SUPPRESS: output1: 3xf32=0.899999976,0.699999988,0{{$}}
// SUPPRESS: output2: i32=2{{$}}
func.func @suppress(%a: tensor<3x4xf32>, %b: tensor<3xf32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<i32>) -> (tensor<3xi32>, tensor<3xf32>, tensor<i32>) {
  %i, %s, %n = graph.suppress %a, %b, %c, %d, %e, %f limit 3 : tensor<3x4xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return %i, %s, %n : tensor<3xi32>, tensor<3xf32>, tensor<i32>
}

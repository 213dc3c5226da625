// Reductions, against NumPy.

// In f32 the first sum would be 0.
// RUN: weir reference %s --function=sum --input=input0=2x3xf32=100000000,1,-100000000,1,2,3 | FileCheck %s --check-prefix=SUM
// SUM: output0: 2xf32=1,6{{$}}
func.func @sum(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = graph.reduce_sum %a [1] : tensor<2x3xf32>
  return %y : tensor<2xf32>
}

// RUN: weir reference %s --function=sum_wraps --input=input0=2xi8=100,100 | FileCheck %s --check-prefix=SUM-WRAPS
// SUM-WRAPS: output0: i8=-56{{$}}
func.func @sum_wraps(%a: tensor<2xi8>) -> tensor<i8> {
  %y = graph.reduce_sum %a [0] : tensor<2xi8>
  return %y : tensor<i8>
}

// RUN: weir reference %s --function=prod --input=input0=2x2xf32=1,2,3,4 | FileCheck %s --check-prefix=PROD
// PROD: output0: 2xf32=3,8{{$}}
func.func @prod(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %y = graph.reduce_prod %a [0] : tensor<2x2xf32>
  return %y : tensor<2xf32>
}

// RUN: weir reference %s --function=extremes --input=input0=2x2xf32=1,nan,3,-4 | FileCheck %s --check-prefix=EXTREMES
// EXTREMES: output0: 2xf32=nan,3{{$}}
// EXTREMES: output1: 2xf32=nan,-4{{$}}
func.func @extremes(%a: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %x = graph.reduce_max %a [1] : tensor<2x2xf32>
  %n = graph.reduce_min %a [1] : tensor<2x2xf32>
  return %x, %n : tensor<2xf32>, tensor<2xf32>
}

// RUN: weir reference %s --function=logic --input=input0=2x2xi1=1,0,1,1 | FileCheck %s --check-prefix=LOGIC
// LOGIC: output0: 2xi1=0,1{{$}}
// LOGIC: output1: 2xi1=1,1{{$}}
func.func @logic(%a: tensor<2x2xi1>) -> (tensor<2xi1>, tensor<2xi1>) {
  %x = graph.reduce_and %a [1] : tensor<2x2xi1>
  %n = graph.reduce_or %a [1] : tensor<2x2xi1>
  return %x, %n : tensor<2xi1>, tensor<2xi1>
}

// The first of equal ones; a NaN is the greatest, and the least.
// RUN: weir reference %s --function=arg --input=input0=2x3xf32=1,3,3,2,nan,9 | FileCheck %s --check-prefix=ARG
// ARG: output0: 2xi64=1,1{{$}}
// ARG: output1: 2xi32=0,1{{$}}
func.func @arg(%a: tensor<2x3xf32>) -> (tensor<2xi64>, tensor<2xi32>) {
  %x = graph.arg_max %a axis 1 : tensor<2x3xf32> to tensor<2xi64>
  %n = graph.arg_min %a axis 1 : tensor<2x3xf32> to tensor<2xi32>
  return %x, %n : tensor<2xi64>, tensor<2xi32>
}

// RUN: weir reference %s --function=cumulative --input=input0=1x3xf32=1,2,3 | FileCheck %s --check-prefix=CUMULATIVE
// CUMULATIVE: output0: 1x3xf32=0,1,3{{$}}
// CUMULATIVE: output1: 1x3xf32=6,6,3{{$}}
// CUMULATIVE: output2: 1x3xf32=1,2.31326175,3.40760589{{$}}
func.func @cumulative(%a: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %s = graph.cumulative_sum %a axis 1 exclusive : tensor<1x3xf32>
  %p = graph.cumulative_prod %a axis 1 reverse : tensor<1x3xf32>
  %l = graph.cumulative_log_sum_exp %a axis 1 : tensor<1x3xf32>
  return %s, %p, %l : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}

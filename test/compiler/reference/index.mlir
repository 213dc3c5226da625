// Ops that choose and place elements by values, against NumPy.

// An index outside is the nearest one inside.
// RUN: weir reference %s --function=gather --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=3xi32=2,-1,7 | FileCheck %s --check-prefix=GATHER
// GATHER: output0: 2x3xf32=2,0,2,5,3,5{{$}}
func.func @gather(%a: tensor<2x3xf32>, %b: tensor<3xi32>) -> tensor<2x3xf32> {
  %y = graph.gather %a, %b axis 1 batch_dims 0 : tensor<2x3xf32>, tensor<3xi32>
  return %y : tensor<2x3xf32>
}

// RUN: weir reference %s --function=gather_batch --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=2x2xi64=0,1,2,2 | FileCheck %s --check-prefix=GATHER-BATCH
// GATHER-BATCH: output0: 2x2xf32=0,1,5,5{{$}}
func.func @gather_batch(%a: tensor<2x3xf32>, %b: tensor<2x2xi64>) -> tensor<2x2xf32> {
  %y = graph.gather %a, %b axis 1 batch_dims 1 : tensor<2x3xf32>, tensor<2x2xi64>
  return %y : tensor<2x2xf32>
}

// RUN: weir reference %s --function=gather_nd --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=2x2xi32=1,2,0,9 | FileCheck %s --check-prefix=GATHER-ND
// GATHER-ND: output0: 2xf32=5,2{{$}}
func.func @gather_nd(%a: tensor<2x3xf32>, %b: tensor<2x2xi32>) -> tensor<2xf32> {
  %y = graph.gather_nd %a, %b batch_dims 0 : tensor<2x3xf32>, tensor<2x2xi32>
  return %y : tensor<2xf32>
}

// An update outside is dropped; two at one index follow each other.
// RUN: weir reference %s --function=scatter --input=input0=4xf32=1,2,3,4 --input=input1=3x1xi32=1,1,4 --input=input2=3xf32=10,20,30 | FileCheck %s --check-prefix=SCATTER
// SCATTER: output0: 4xf32=1,32,3,4{{$}}
func.func @scatter(%a: tensor<4xf32>, %b: tensor<3x1xi32>, %c: tensor<3xf32>) -> tensor<4xf32> {
  %y = graph.scatter add %a, %b, %c : tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>
  return %y : tensor<4xf32>
}

// RUN: weir reference %s --function=scatter_max --input=input0=2xi32=1,2 --input=input1=1x1xi32=0 --input=input2=1xi32=7 | FileCheck %s --check-prefix=SCATTER-MAX
// SCATTER-MAX: output0: 2xi32=7,2{{$}}
func.func @scatter_max(%a: tensor<2xi32>, %b: tensor<1x1xi32>, %c: tensor<1xi32>) -> tensor<2xi32> {
  %y = graph.scatter max %a, %b, %c : tensor<2xi32>, tensor<1x1xi32>, tensor<1xi32>
  return %y : tensor<2xi32>
}

// RUN: weir reference %s --function=dynamic_slice --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=i32=1 --input=input2=i32=5 | FileCheck %s --check-prefix=DYNAMIC-SLICE
// DYNAMIC-SLICE: output0: 1x2xf32=4,5{{$}}
func.func @dynamic_slice(%a: tensor<2x3xf32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<1x2xf32> {
  %y = graph.dynamic_slice %a [%b, %c] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// RUN: weir reference %s --function=dynamic_update_slice --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=1x2xf32=9,8 --input=input2=i32=-3 --input=input3=i32=1 | FileCheck %s --check-prefix=DYNAMIC-UPDATE-SLICE
// DYNAMIC-UPDATE-SLICE: output0: 2x3xf32=0,9,8,3,4,5{{$}}
func.func @dynamic_update_slice(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<2x3xf32> {
  %y = graph.dynamic_update_slice %a, %b [%c, %d] : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: weir reference %s --function=one_hot --input=input0=2xi64=1,3 --input=input1=f32=5 --input=input2=f32=-1 | FileCheck %s --check-prefix=ONE-HOT
// ONE-HOT: output0: 2x3xf32=-1,5,-1,-1,-1,-1{{$}}
func.func @one_hot(%a: tensor<2xi64>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<2x3xf32> {
  %y = graph.one_hot %a, %b, %c depth 3 axis 1 : tensor<2xi64>, tensor<f32>
  return %y : tensor<2x3xf32>
}

// The corner of two columns, contiguous, and in its place again.
// RUN: weir reference %s --function=compact --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=i64=2 | FileCheck %s --check-prefix=COMPACT
// COMPACT: output0: 6xf32=0,1,3,4,0,0{{$}}
// COMPACT: output1: 2x3xf32=0,1,0,3,4,0{{$}}
func.func @compact(%a: tensor<2x3xf32>, %b: tensor<i64>) -> (tensor<6xf32>, tensor<2x3xf32>) {
  %y = graph.compact %a [%b] along [1] zeros : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  %z = graph.spread %y [%b] along [1] to [2, 3] zeros : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %y, %z : tensor<6xf32>, tensor<2x3xf32>
}

// RUN: weir reference %s --function=compact_permuted --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=i64=2 | FileCheck %s --check-prefix=COMPACT-PERMUTED
// COMPACT-PERMUTED: output0: 6xf32=0,3,1,4,0,0{{$}}
func.func @compact_permuted(%a: tensor<2x3xf32>, %b: tensor<i64>) -> tensor<6xf32> {
  %y = graph.compact %a [%b] along [0] zeros permuted [1, 0] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// RUN: weir reference %s --function=fill_beyond --input=input0=2x3xf32=0,1,2,3,4,5 --input=input1=i64=1 --input=input2=f32=7 | FileCheck %s --check-prefix=FILL-BEYOND
// FILL-BEYOND: output0: 2x3xf32=0,7,7,3,7,7{{$}}
func.func @fill_beyond(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<f32>) -> tensor<2x3xf32> {
  %y = graph.fill_beyond %a, %b, %c along 1 reach 2 : (tensor<2x3xf32>, tensor<i64>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

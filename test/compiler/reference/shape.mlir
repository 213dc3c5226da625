// Ops that rearrange elements, against NumPy.

// RUN: weir reference %s --function=transpose --input=input0=2x3xf32=0,1,2,3,4,5 | FileCheck %s --check-prefix=TRANSPOSE
// TRANSPOSE: output0: 3x2xf32=0,3,1,4,2,5{{$}}
func.func @transpose(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %y = graph.transpose %a [1, 0] : tensor<2x3xf32>
  return %y : tensor<3x2xf32>
}

// RUN: weir reference %s --function=reshape --input=input0=2x3xf32=0,1,2,3,4,5 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: output0: 3x2xf32=0,1,2,3,4,5{{$}}
func.func @reshape(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %y = graph.reshape %a : tensor<2x3xf32> to tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// RUN: weir reference %s --function=broadcast --input=input0=2x1xf32=1,2 | FileCheck %s --check-prefix=BROADCAST
// BROADCAST: output0: 2x3xf32=1,1,1,2,2,2{{$}}
func.func @broadcast(%a: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %y = graph.broadcast %a [0, 1] : tensor<2x1xf32> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: weir reference %s --function=slice --input=input0=2x3xf32=0,1,2,3,4,5 | FileCheck %s --check-prefix=SLICE
// SLICE: output0: 2x2xf32=0,2,3,5{{$}}
func.func @slice(%a: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %y = graph.slice %a [0, 0] to [2, 3] by [1, 2] : tensor<2x3xf32>
  return %y : tensor<2x2xf32>
}

// RUN: weir reference %s --function=reverse --input=input0=2x3xf32=0,1,2,3,4,5 | FileCheck %s --check-prefix=REVERSE
// REVERSE: output0: 2x3xf32=2,1,0,5,4,3{{$}}
func.func @reverse(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.reverse %a [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: weir reference %s --function=pad --input=input0=2xf32=1,2 --input=input1=f32=9 | FileCheck %s --check-prefix=PAD
// PAD: output0: 6xf32=9,1,9,2,9,9{{$}}
func.func @pad(%a: tensor<2xf32>, %b: tensor<f32>) -> tensor<6xf32> {
  %y = graph.pad %a, %b low [1] high [2] interior [1] : tensor<2xf32>
  return %y : tensor<6xf32>
}

// RUN: weir reference %s --function=concat --input=input0=1x2xf32=1,2 --input=input1=1x1xf32=3 | FileCheck %s --check-prefix=CONCAT
// CONCAT: output0: 1x5xf32=1,2,3,1,2{{$}}
func.func @concat(%a: tensor<1x2xf32>, %b: tensor<1x1xf32>) -> tensor<1x5xf32> {
  %y = graph.concat %a, %b, %a axis 1 : tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x2xf32>
  return %y : tensor<1x5xf32>
}

// RUN: weir reference %s --function=iota | FileCheck %s --check-prefix=IOTA
// IOTA: output0: 2x3xi32=0,1,2,0,1,2{{$}}
func.func @iota() -> tensor<2x3xi32> {
  %y = graph.iota axis 1 : tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

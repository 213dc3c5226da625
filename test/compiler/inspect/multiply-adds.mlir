// The count has the multiply-adds of matrix products and convolutions, by their
// definitions. The larger branch of a conditional counts, and a loop counts once per
// iteration.
// RUN: weir inspect %s | FileCheck %s

// There are 2 * 5 results of 3 terms each.
// CHECK-LABEL: signature matmul
// CHECK: multiply-adds 30{{$}}
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x5xf32>
  return %0 : tensor<2x5xf32>
}

// The batch has 4 products, with both operands transposed.
// CHECK-LABEL: signature batched
// CHECK: multiply-adds 120{{$}}
func.func @batched(%a: tensor<4x3x2xf32>, %b: tensor<4x5x3xf32>) -> tensor<4x2x5xf32> {
  %0 = graph.matmul %a, %b transpose_a transpose_b : tensor<4x3x2xf32>, tensor<4x5x3xf32>
  return %0 : tensor<4x2x5xf32>
}

// There are 4 * 4 * 4 results of 3 * 3 taps in 3 channels.
// CHECK-LABEL: signature convolution
// CHECK: multiply-adds 1728{{$}}
func.func @convolution(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = graph.convolution %x, %w strides [2, 2] padding_low [0, 0] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// A result of a depthwise convolution reads one channel: 6 * 6 * 3 results of 9 taps.
// CHECK-LABEL: signature depthwise
// CHECK: multiply-adds 972{{$}}
func.func @depthwise(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x1x3xf32>) -> tensor<1x6x6x3xf32> {
  %0 = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 3 : tensor<1x8x8x3xf32>, tensor<3x3x1x3xf32>
  return %0 : tensor<1x6x6x3xf32>
}

// The count is that of the forward convolution of 2 images: 2 * 4 * 4 * 5 results of 27
// terms.
// CHECK-LABEL: signature gradient
// CHECK: multiply-adds 4320{{$}}
func.func @gradient(%x: tensor<2x8x8x3xf32>, %r: tensor<2x4x4x5xf32>) -> tensor<5x3x3x3xf32> {
  %0 = graph.filter_gradient %x, %r window [3, 3] strides [2, 2] padding_low [0, 0] dilations [1, 1] groups 1 : tensor<2x8x8x3xf32>, tensor<2x4x4x5xf32>
  return %0 : tensor<5x3x3x3xf32>
}

// There are 2 rows of 64 elements, by 40 columns.
// CHECK-LABEL: signature packed
// CHECK: multiply-adds 5120{{$}}
func.func @packed(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) -> tensor<2x40xf32> {
  %0 = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  return %0 : tensor<2x40xf32>
}

// The branches have 8 and 16 multiply-adds.
// CHECK-LABEL: signature branches
// CHECK: multiply-adds 16{{$}}
func.func @branches(%p: tensor<i1>, %a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.if %p : tensor<i1> -> (tensor<2x2xf32>) {
    %1 = graph.matmul %a, %a : tensor<2x2xf32>, tensor<2x2xf32>
    graph.yield %1 : tensor<2x2xf32>
  } else {
    %1 = graph.matmul %a, %a : tensor<2x2xf32>, tensor<2x2xf32>
    %2 = graph.matmul %1, %a : tensor<2x2xf32>, tensor<2x2xf32>
    graph.yield %2 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// The loop counts from 0 up to 10 by 3: 4 steps.
// CHECK-LABEL: signature loop
// CHECK: multiply-adds 32{{$}}
func.func @loop(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %first = graph.constant dense<0> : tensor<i64>
  %end = graph.constant dense<10> : tensor<i64>
  %step = graph.constant dense<3> : tensor<i64>
  %0:2 = graph.while(%first, %a) : (tensor<i64>, tensor<2x2xf32>) -> (tensor<i64>, tensor<2x2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2x2xf32>):
    %p = graph.less %i, %end : tensor<i64>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %x: tensor<2x2xf32>):
    %next = graph.add %i, %step : tensor<i64>
    %y = graph.matmul %x, %a : tensor<2x2xf32>, tensor<2x2xf32>
    graph.yield %next, %y : tensor<i64>, tensor<2x2xf32>
  }
  return %0#1 : tensor<2x2xf32>
}

// The number of iterations depends on an argument.
// CHECK-LABEL: signature unknown
// CHECK: multiply-adds 8, with loops of unknown length counted once
func.func @unknown(%a: tensor<2x2xf32>, %end: tensor<i64>) -> tensor<2x2xf32> {
  %first = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0:2 = graph.while(%first, %a) : (tensor<i64>, tensor<2x2xf32>) -> (tensor<i64>, tensor<2x2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2x2xf32>):
    %p = graph.less %i, %end : tensor<i64>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %x: tensor<2x2xf32>):
    %next = graph.add %i, %one : tensor<i64>
    %y = graph.matmul %x, %a : tensor<2x2xf32>, tensor<2x2xf32>
    graph.yield %next, %y : tensor<i64>, tensor<2x2xf32>
  }
  return %0#1 : tensor<2x2xf32>
}

// One count exceeds 63 bits, and one is zero.
// CHECK-LABEL: signature huge
// CHECK: multiply-adds 9223372036854775807{{$}}
func.func @huge(%a: tensor<268435456x536870912xf32>, %b: tensor<536870912x268435456xf32>) -> tensor<268435456x268435456xf32> {
  %0 = graph.matmul %a, %b : tensor<268435456x536870912xf32>, tensor<536870912x268435456xf32>
  return %0 : tensor<268435456x268435456xf32>
}
// CHECK-LABEL: signature none
// CHECK-NOT: multiply-adds
// CHECK: ops
func.func @none(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.exp %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

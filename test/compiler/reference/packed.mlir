// Quantized weights, against NumPy.

// Codes 1, 2, 3, 4 in two bytes; the zero points are 1 and 3.
// RUN: weir reference %s --function=dequantize --input=input0=1x2xui8=33,67 --input=input1=1x2xf32=0.5,2 --input=input2=1x1xui8=49 | FileCheck %s --check-prefix=DEQUANTIZE
// DEQUANTIZE: output0: 1x4xf32=0,0.5,0,2{{$}}
func.func @dequantize(%a: tensor<1x2xui8>, %b: tensor<1x2xf32>, %c: tensor<1x1xui8>) -> tensor<1x4xf32> {
  %y = graph.dequantize %a, %b, %c axis 1 block 2 bits 4 : tensor<1x2xui8>, tensor<1x2xf32>, tensor<1x1xui8> -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// RUN: weir reference %s --function=dequantize_signed --input=input0=1x2xi8=-2,3 --input=input1=1x2xf32=0.5,0.5 | FileCheck %s --check-prefix=DEQUANTIZE-SIGNED
// DEQUANTIZE-SIGNED: output0: 1x2xf32=-1,1.5{{$}}
func.func @dequantize_signed(%a: tensor<1x2xi8>, %b: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %y = graph.dequantize %a, %b axis 1 block 1 bits 8 signed : tensor<1x2xi8>, tensor<1x2xf32> -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// The layout of PackedWeights.h: 32 scales, then a word of 8 codes for each column.
// RUN: weir reference %s --function=packed_matmul --input=input0=1x8xf32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=PACKED-MATMUL
// PACKED-MATMUL: output0: 1x2xf32=84,-408{{$}}
func.func @packed_matmul(%a: tensor<1x8xf32>) -> tensor<1x2xf32> {
  %w = graph.constant dense<"0x0000003F0000004000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000098BADCFE67452301000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<1x256xi8>
  %y = graph.packed_matmul %a, %w columns 2 bits 4 block 8 scales f32 zero 8 : tensor<1x8xf32>, tensor<1x256xi8>
  return %y : tensor<1x2xf32>
}

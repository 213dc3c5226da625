// Elementwise ops in f64; the expected numbers are NumPy's, rounded to the type once.

// RUN: weir reference %s --function=exp --input=input0=4xf32=-2.5,-0,0.5,3 | FileCheck %s --check-prefix=EXP
// EXP: output0: 4xf32=0.0820849985,1,1.64872122,20.085537{{$}}
func.func @exp(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.exp %a : tensor<4xf32>
  return %y : tensor<4xf32>
}

// A sum of f32 is not rounded: f32 cannot hold 2^24 + 1.
// RUN: weir reference %s --function=unrounded --input=input0=1xf32=16777216 --input=input1=1xf32=1 | FileCheck %s --check-prefix=UNROUNDED
// UNROUNDED: output0: 1xf32=1{{$}}
func.func @unrounded(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %s = graph.add %a, %b : tensor<1xf32>
  %d = graph.sub %s, %a : tensor<1xf32>
  return %d : tensor<1xf32>
}

// A cast with `rounds` rounds, another one does not.
// RUN: weir reference %s --function=rounds --input=input0=2xf32=2049,9.99999994e-09 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: output0: 2xf32=2048,0{{$}}
func.func @rounds(%a: tensor<2xf32>) -> tensor<2xf32> {
  %h = graph.cast %a rounds : tensor<2xf32> to tensor<2xf16>
  %y = graph.cast %h : tensor<2xf16> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// RUN: weir reference %s --function=wide --input=input0=2xf32=2049,9.99999994e-09 | FileCheck %s --check-prefix=WIDE
// WIDE: output0: 2xf32=2049,9.99999994e-09{{$}}
func.func @wide(%a: tensor<2xf32>) -> tensor<2xf32> {
  %h = graph.cast %a : tensor<2xf32> to tensor<2xf16>
  %y = graph.cast %h : tensor<2xf16> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// RUN: weir reference %s --function=saturates --input=input0=4xf32=-1.89999998,300,nan,-1e+09 | FileCheck %s --check-prefix=SATURATES
// SATURATES: output0: 4xui8=0,255,0,0{{$}}
func.func @saturates(%a: tensor<4xf32>) -> tensor<4xui8> {
  %y = graph.cast %a : tensor<4xf32> to tensor<4xui8>
  return %y : tensor<4xui8>
}

// RUN: weir reference %s --function=wraps --input=input0=2xi8=100,-128 --input=input1=2xi8=100,-1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: output0: 2xi8=-56,127{{$}}
func.func @wraps(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %y = graph.add %a, %b : tensor<2xi8>
  return %y : tensor<2xi8>
}

// A quotient by 0 is 0, and the lowest number by -1 wraps.
// RUN: weir reference %s --function=divides --input=input0=4xi32=7,-7,5,-2147483648 --input=input1=4xi32=2,2,0,-1 | FileCheck %s --check-prefix=DIVIDES
// DIVIDES: output0: 4xi32=3,-3,0,-2147483648{{$}}
// DIVIDES: output1: 4xi32=3,-4,0,-2147483648{{$}}
// DIVIDES: output2: 4xi32=1,1,0,0{{$}}
func.func @divides(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %q = graph.div %a, %b : tensor<4xi32>
  %f = graph.floor_div %a, %b : tensor<4xi32>
  %m = graph.floor_mod %a, %b : tensor<4xi32>
  return %q, %f, %m : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// RUN: weir reference %s --function=nans --input=input0=3xf32=nan,1,2 --input=input1=3xf32=1,nan,-1 | FileCheck %s --check-prefix=NANS
// NANS: output0: 3xf32=nan,nan,2{{$}}
// NANS: output1: 3xi1=0,0,0{{$}}
// NANS: output2: 3xi1=1,1,1{{$}}
func.func @nans(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %x = graph.maximum %a, %b : tensor<3xf32>
  %l = graph.less %a, %b : tensor<3xf32>
  %n = graph.not_equal %a, %b : tensor<3xf32>
  return %x, %l, %n : tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// RUN: weir reference %s --function=selects --input=input0=2xi1=1,0 --input=input1=2xf32=1,2 --input=input2=2xf32=3,4 | FileCheck %s --check-prefix=SELECTS
// SELECTS: output0: 2xf32=1,4{{$}}
func.func @selects(%a: tensor<2xi1>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.select %a, %b, %c : tensor<2xi1>, tensor<2xf32>
  return %y : tensor<2xf32>
}

// RUN: weir reference %s --function=lgamma --input=input0=2xf32=0.5,10.25 | FileCheck %s --check-prefix=LGAMMA
// LGAMMA: output0: 2xf32=0.572364926,13.3680239{{$}}
func.func @lgamma(%a: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.lgamma %a : tensor<2xf32>
  return %y : tensor<2xf32>
}

// Bits are those of the type.
// RUN: weir reference %s --function=bits --input=input0=2xf32=1,-2 | FileCheck %s --check-prefix=BITS
// BITS: output0: 2xi32=1065353216,-1073741824{{$}}
func.func @bits(%a: tensor<2xf32>) -> tensor<2xi32> {
  %y = graph.bitcast %a : tensor<2xf32> to tensor<2xi32>
  return %y : tensor<2xi32>
}

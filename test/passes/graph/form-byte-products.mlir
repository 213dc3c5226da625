// RUN: weir-opt %s -split-input-file --weir-form-byte-products | FileCheck %s

// Floats from bytes are multiplied by weights with a scale per column.
// CHECK-LABEL: @matmul
// CHECK: %[[Y:.*]] = graph.matmul %arg0, %{{.*}} : tensor<4x3xui8>, tensor<3x2xi8>
// CHECK: %[[Z:.*]] = graph.constant dense<[-90, -80]> : tensor<2xi32>
// CHECK: %[[ZS:.*]] = graph.broadcast %[[Z]] [1]
// CHECK: %[[D:.*]] = graph.add %[[Y]], %[[ZS]] : tensor<4x2xi32>
// CHECK: %[[F:.*]] = graph.cast %[[D]] : tensor<4x2xi32> to tensor<4x2xf32>
// A rounded quotient becomes part of the factors, which were 1 and 1/4.
// CHECK: %[[S:.*]] = graph.constant dense<[2.500000e-01, 6.250000e-02]> : tensor<2xf32>
// CHECK: %[[SS:.*]] = graph.broadcast %[[S]] [1]
// CHECK: %[[P:.*]] = graph.mul %[[F]], %[[SS]]
// CHECK: graph.round %[[P]]
func.func @matmul(%x: tensor<4x3xui8>) -> tensor<4x2xf32> {
  %zero = graph.constant dense<10> : tensor<4x3xi32>
  %xi = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %xd = graph.sub %xi, %zero : tensor<4x3xi32>
  %xf = graph.cast %xd : tensor<4x3xi32> to tensor<4x3xf32>
  %scale = graph.constant dense<0.5> : tensor<4x3xf32>
  %a = graph.mul %xf, %scale : tensor<4x3xf32>
  %w = graph.constant dense<[[1, -2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %wf = graph.cast %wi : tensor<3x2xi32> to tensor<3x2xf32>
  %scales = graph.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %ws = graph.broadcast %scales [1] : tensor<2xf32> to tensor<3x2xf32>
  %b = graph.mul %wf, %ws : tensor<3x2xf32>
  %y = graph.matmul %a, %b : tensor<4x3xf32>, tensor<3x2xf32>
  %four = graph.constant dense<4.0> : tensor<4x2xf32>
  %q = graph.div %y, %four : tensor<4x2xf32>
  %r = graph.round %q : tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// A bias of 3 and -4 times the product of the scales is added to the integer sums.
// Another bias is added to floats.
// CHECK-LABEL: @bias
// CHECK: %[[Y:.*]] = graph.matmul %arg0, %{{.*}} : tensor<4x3xui8>, tensor<3x2xi8>
// CHECK: %[[B:.*]] = graph.constant dense<[3, -4]> : tensor<2xi32>
// CHECK: %[[BS:.*]] = graph.broadcast %[[B]] [1]
// CHECK: %[[S:.*]] = graph.add %[[Y]], %[[BS]] : tensor<4x2xi32>
// CHECK: %[[F:.*]] = graph.cast %[[S]] : tensor<4x2xi32> to tensor<4x2xf32>
// CHECK: %[[M:.*]] = graph.mul %[[F]]
// CHECK: %[[O:.*]] = graph.mul
// CHECK: %[[A:.*]] = graph.add %[[O]], %{{.*}} : tensor<4x2xf32>
// CHECK: return %[[M]], %[[A]]
func.func @bias(%x: tensor<4x3xui8>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %xf = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %xs = graph.cast %xf : tensor<4x3xi32> to tensor<4x3xf32>
  %scale = graph.constant dense<0.5> : tensor<4x3xf32>
  %a = graph.mul %xs, %scale : tensor<4x3xf32>
  %w = graph.constant dense<[[1, -2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %wf = graph.cast %wi : tensor<3x2xi32> to tensor<3x2xf32>
  %scales = graph.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %ws = graph.broadcast %scales [1] : tensor<2xf32> to tensor<3x2xf32>
  %b = graph.mul %wf, %ws : tensor<3x2xf32>
  %y = graph.matmul %a, %b : tensor<4x3xf32>, tensor<3x2xf32>
  %bias = graph.constant dense<[3.0, -1.0]> : tensor<2xf32>
  %biases = graph.broadcast %bias [1] : tensor<2xf32> to tensor<4x2xf32>
  %p = graph.add %y, %biases : tensor<4x2xf32>
  %z = graph.matmul %a, %b : tensor<4x3xf32>, tensor<3x2xf32>
  %other = graph.constant dense<[3.0, -1.1]> : tensor<2xf32>
  %others = graph.broadcast %other [1] : tensor<2xf32> to tensor<4x2xf32>
  %q = graph.add %z, %others : tensor<4x2xf32>
  return %p, %q : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// A division by a scale whose reciprocal is infinite stays.
// CHECK-LABEL: @small
// CHECK: graph.matmul %arg0, %{{.*}} : tensor<4x3xui8>, tensor<3x2xi8>
// CHECK: graph.div
func.func @small(%x: tensor<4x3xui8>) -> tensor<4x2xf32> {
  %xf = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %xs = graph.cast %xf : tensor<4x3xi32> to tensor<4x3xf32>
  %scale = graph.constant dense<0.5> : tensor<4x3xf32>
  %a = graph.mul %xs, %scale : tensor<4x3xf32>
  %w = graph.constant dense<[[1, -2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %wf = graph.cast %wi : tensor<3x2xi32> to tensor<3x2xf32>
  %scales = graph.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %ws = graph.broadcast %scales [1] : tensor<2xf32> to tensor<3x2xf32>
  %b = graph.mul %wf, %ws : tensor<3x2xf32>
  %y = graph.matmul %a, %b : tensor<4x3xf32>, tensor<3x2xf32>
  %tiny = graph.constant dense<1.0e-40> : tensor<4x2xf32>
  %q = graph.div %y, %tiny : tensor<4x2xf32>
  %r = graph.round %q : tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// A quantization to signed bytes becomes one to unsigned bytes, also for the sum of
// floats outside of the product.
// CHECK-LABEL: @signed
// CHECK: %[[R:.*]] = graph.round
// CHECK: %[[Z:.*]] = graph.constant dense<1.230000e+02> : tensor<4x3xf32>
// CHECK: %[[A:.*]] = graph.add %[[R]], %[[Z]]
// CHECK: %[[Q:.*]] = graph.cast %[[A]] : tensor<4x3xf32> to tensor<4x3xui8>
// CHECK: graph.sub
// CHECK: %[[W:.*]] = graph.cast %[[Q]] : tensor<4x3xui8> to tensor<4x3xi32>
// CHECK: %[[O:.*]] = graph.constant dense<128> : tensor<4x3xi32>
// CHECK: %[[S:.*]] = graph.sub %[[W]], %[[O]]
// CHECK: graph.cast %[[S]] : tensor<4x3xi32> to tensor<4x3xf32>
// CHECK: graph.matmul %[[Q]], %{{.*}} : tensor<4x3xui8>, tensor<3x2xi8>
// CHECK: graph.constant dense<[-1107, -984]> : tensor<2xi32>
func.func @signed(%x: tensor<4x3xf32>) -> (tensor<4x2xi32>, tensor<4x3xf32>) {
  %r = graph.round %x : tensor<4x3xf32>
  %zero = graph.constant dense<-5.0> : tensor<4x3xf32>
  %m = graph.add %r, %zero : tensor<4x3xf32>
  %q = graph.cast %m : tensor<4x3xf32> to tensor<4x3xi8>
  %xi = graph.cast %q : tensor<4x3xi8> to tensor<4x3xi32>
  %point = graph.constant dense<-5> : tensor<4x3xi32>
  %xd = graph.sub %xi, %point : tensor<4x3xi32>
  %other = graph.cast %q : tensor<4x3xi8> to tensor<4x3xi32>
  %f = graph.cast %other : tensor<4x3xi32> to tensor<4x3xf32>
  %w = graph.constant dense<[[1, -2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %y = graph.matmul %xd, %wi : tensor<4x3xi32>, tensor<3x2xi32>
  return %y, %f : tensor<4x2xi32>, tensor<4x3xf32>
}

// -----

// Padding has the byte that represents 0; signed bytes move by 128.
// CHECK-LABEL: @convolution
// CHECK: %[[X:.*]] = graph.cast %{{.*}} : tensor<1x4x4x1xi32> to tensor<1x4x4x1xui8>
// CHECK: %[[P:.*]] = graph.constant dense<131> : tensor<ui8>
// CHECK: %[[M:.*]] = graph.pad %[[X]], %[[P]] low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK: graph.convolution %[[M]], %{{.*}} padding_low [0, 0] padding_high [0, 0] {{.*}} : tensor<1x6x6x1xui8>, tensor<3x3x1x2xi8>
func.func @convolution(%x: tensor<1x4x4x1xi8>) -> tensor<1x4x4x2xi32> {
  %zero = graph.constant dense<3> : tensor<1x4x4x1xi32>
  %xi = graph.cast %x : tensor<1x4x4x1xi8> to tensor<1x4x4x1xi32>
  %xd = graph.sub %xi, %zero : tensor<1x4x4x1xi32>
  %w = graph.constant dense<5> : tensor<3x3x1x2xi32>
  %y = graph.convolution %xd, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x4x4x1xi32>, tensor<3x3x1x2xi32>
  return %y : tensor<1x4x4x2xi32>
}

// -----

// These weights stay: some that are no bytes, an input of the run, and some whose scale
// changes along the sums. Operands on a GPU stay, too.
// CHECK-LABEL: @far
// CHECK: graph.matmul {{.*}} tensor<4x3xi32>, tensor<3x2xi32>
func.func @far(%x: tensor<4x3xui8>) -> tensor<4x2xi32> {
  %xi = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %w = graph.constant dense<[[1, -2], [3, 128], [5, 6]]> : tensor<3x2xi32>
  %y = graph.matmul %xi, %w : tensor<4x3xi32>, tensor<3x2xi32>
  return %y : tensor<4x2xi32>
}
// CHECK-LABEL: @unknown
// CHECK: graph.matmul {{.*}} tensor<4x3xi32>, tensor<3x2xi32>
func.func @unknown(%x: tensor<4x3xui8>, %w: tensor<3x2xi8>) -> tensor<4x2xi32> {
  %xi = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %y = graph.matmul %xi, %wi : tensor<4x3xi32>, tensor<3x2xi32>
  return %y : tensor<4x2xi32>
}
// CHECK-LABEL: @rows
// CHECK: graph.matmul {{.*}} tensor<4x3xf32>, tensor<3x2xf32>
func.func @rows(%x: tensor<4x3xui8>) -> tensor<4x2xf32> {
  %xi = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %xf = graph.cast %xi : tensor<4x3xi32> to tensor<4x3xf32>
  %scale = graph.constant dense<0.5> : tensor<4x3xf32>
  %a = graph.mul %xf, %scale : tensor<4x3xf32>
  %w = graph.constant dense<1> : tensor<3x2xi8>
  %wi = graph.cast %w : tensor<3x2xi8> to tensor<3x2xi32>
  %wf = graph.cast %wi : tensor<3x2xi32> to tensor<3x2xf32>
  %scales = graph.constant dense<[2.0, 0.5, 1.0]> : tensor<3xf32>
  %ws = graph.broadcast %scales [0] : tensor<3xf32> to tensor<3x2xf32>
  %b = graph.mul %wf, %ws : tensor<3x2xf32>
  %y = graph.matmul %a, %b : tensor<4x3xf32>, tensor<3x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @device
// CHECK: graph.matmul {{.*}} tensor<4x3xi32>, tensor<3x2xi32>
module attributes {weir.gpu = #weir.gpu<>} {
func.func @device(%x: tensor<4x3xui8>) -> tensor<4x2xi32> {
  %xi = graph.cast %x : tensor<4x3xui8> to tensor<4x3xi32>
  %w = graph.constant dense<1> : tensor<3x2xi32>
  %y = graph.matmul %xi, %w : tensor<4x3xi32>, tensor<3x2xi32>
  return %y : tensor<4x2xi32>
}
}

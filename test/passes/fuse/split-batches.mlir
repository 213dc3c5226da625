// RUN: weir-opt %s -split-input-file -weir-split-batches | FileCheck %s

// L2 has 32 KB, so results beyond 256 KB are large, and a slice has two images of 64 KB
// each. A slice passes through all layers up to the first one with a small result. The
// shortcut is sliced, too, and the last layer gets the whole batch.
// CHECK-LABEL: func @residual
// CHECK: %[[X0:.*]] = graph.slice %arg0 [0, 0, 0, 0] to [2, 32, 32, 3]
// CHECK: %[[A0:.*]] = graph.convolution %[[X0]], {{.*}} : tensor<2x32x32x3xf32>
// CHECK: %[[B0:.*]] = graph.broadcast {{.*}} : tensor<16xf32> to tensor<2x32x32x16xf32>
// CHECK: %[[C0:.*]] = graph.add %[[A0]], %[[B0]]
// CHECK: %[[D0:.*]] = graph.convolution %[[C0]]
// CHECK: %[[E0:.*]] = graph.add %[[D0]], %[[C0]] : tensor<2x32x32x16xf32>
// CHECK: %[[F0:.*]] = graph.convolution %[[E0]], {{.*}} : tensor<2x32x32x16xf32>
// CHECK: graph.slice %arg0 [2, 0, 0, 0] to [4, 32, 32, 3]
// CHECK: graph.slice %arg0 [4, 0, 0, 0] to [6, 32, 32, 3]
// CHECK: graph.slice %arg0 [6, 0, 0, 0] to [8, 32, 32, 3]
// CHECK: %[[F:.*]] = graph.concat %[[F0]], {{.*}} axis 0 : tensor<2x16x16x4xf32>, tensor<2x16x16x4xf32>, tensor<2x16x16x4xf32>, tensor<2x16x16x4xf32>
// CHECK-NEXT: graph.relu %[[F]] : tensor<8x16x16x4xf32>
module attributes {weir.target = #weir.target<l2 = 32768>} {
func.func @residual(%x: tensor<8x32x32x3xf32>, %v: tensor<3x3x3x16xf32>, %w: tensor<3x3x16x16xf32>, %u: tensor<2x2x16x4xf32>, %bias: tensor<16xf32>) -> tensor<8x16x16x4xf32> attributes {weir.entry = "main"} {
  %a = graph.convolution %x, %v strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x3xf32>, tensor<3x3x3x16xf32>
  %b = graph.broadcast %bias [3] : tensor<16xf32> to tensor<8x32x32x16xf32>
  %c = graph.add %a, %b : tensor<8x32x32x16xf32>
  %d = graph.convolution %c, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  %e = graph.add %d, %c : tensor<8x32x32x16xf32>
  %f = graph.convolution %e, %u strides [2, 2] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<2x2x16x4xf32>
  %g = graph.relu %f : tensor<8x16x16x4xf32>
  return %g : tensor<8x16x16x4xf32>
}
}

// -----

// Operands without a batch, a splat, padding and a transpose follow the slices of
// images. A reduction over all images ends the sequence of layers.
// CHECK-LABEL: func @ops
// CHECK: graph.slice %arg0 [0, 0, 0, 0] to [1, 16, 32, 32]
// CHECK-NEXT: graph.transpose {{.*}} : tensor<1x16x32x32xf32>
// CHECK-NEXT: graph.pad {{.*}} : tensor<1x32x32x16xf32>
// CHECK-NEXT: graph.convolution {{.*}} : tensor<1x34x34x16xf32>
// CHECK-NEXT: graph.constant dense<2.000000e+00> : tensor<1x32x32x16xf32>
// CHECK-NEXT: graph.mul {{.*}} : tensor<1x32x32x16xf32>
// CHECK-NEXT: graph.reshape {{.*}} : tensor<1x32x32x16xf32> to tensor<1x64x16x16xf32>
// CHECK-NEXT: graph.convolution {{.*}} : tensor<1x64x16x16xf32>
// CHECK: graph.concat
// CHECK-NEXT: graph.reduce_sum {{.*}} [0] : tensor<8x64x16x16xf32>
module attributes {weir.target = #weir.target<l2 = 32768>} {
func.func @ops(%x: tensor<8x16x32x32xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<64x16x16xf32> attributes {weir.entry = "main"} {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %two = graph.constant dense<2.0> : tensor<8x32x32x16xf32>
  %a = graph.transpose %x [0, 2, 3, 1] : tensor<8x16x32x32xf32>
  %b = graph.pad %a, %zero low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0] : tensor<8x32x32x16xf32>
  %c = graph.convolution %b, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<8x34x34x16xf32>, tensor<3x3x16x16xf32>
  %d = graph.mul %c, %two : tensor<8x32x32x16xf32>
  %e = graph.reshape %d : tensor<8x32x32x16xf32> to tensor<8x64x16x16xf32>
  %f = graph.convolution %e, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x64x16x16xf32>, tensor<3x3x16x16xf32>
  %g = graph.reduce_sum %f [0] : tensor<8x64x16x16xf32>
  return %g : tensor<64x16x16xf32>
}
}

// -----

// Ops after a use of the whole batch use the whole batch, too.
// CHECK-LABEL: func @used_before
// CHECK-COUNT-8: graph.slice
// CHECK: %[[B:.*]] = graph.concat {{.*}} axis 0
// CHECK-NEXT: graph.reduce_sum %[[B]] [0]
// CHECK-NEXT: graph.convolution %[[B]], {{.*}} : tensor<8x32x32x32xf32>
module attributes {weir.target = #weir.target<l2 = 32768>} {
func.func @used_before(%x: tensor<8x32x32x16xf32>, %v: tensor<3x3x16x16xf32>, %w: tensor<3x3x16x32xf32>, %u: tensor<1x1x32x2xf32>) -> (tensor<32x32x32xf32>, tensor<8x32x32x2xf32>) attributes {weir.entry = "main"} {
  %a = graph.convolution %x, %v strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  %b = graph.convolution %a, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>
  %c = graph.reduce_sum %b [0] : tensor<8x32x32x32xf32>
  %d = graph.convolution %b, %u strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<8x32x32x32xf32>, tensor<1x1x32x2xf32>
  return %c, %d : tensor<32x32x32xf32>, tensor<8x32x32x2xf32>
}
}

// -----

// An op that is repeated and reads one value twice is split once.
// CHECK-LABEL: func @read_twice
// CHECK-NOT: tensor<16xf32> to tensor<8x32x32x16xf32>
// CHECK: graph.convolution {{.*}} : tensor<2x32x32x16xf32>
// CHECK: graph.select
// CHECK: graph.concat
module attributes {weir.target = #weir.target<l2 = 32768>} {
func.func @read_twice(%x: tensor<8x32x32x16xf32>, %c: tensor<8x32x32x16xi1>, %w: tensor<3x3x16x16xf32>, %bias: tensor<16xf32>) -> tensor<8x32x32x16xf32> attributes {weir.entry = "main"} {
  %a = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  %b = graph.broadcast %bias [3] : tensor<16xf32> to tensor<8x32x32x16xf32>
  %d = graph.select %c, %b, %b : tensor<8x32x32x16xi1>, tensor<8x32x32x16xf32>
  %e = graph.add %a, %d : tensor<8x32x32x16xf32>
  %f = graph.convolution %e, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  return %f : tensor<8x32x32x16xf32>
}
}

// -----

// These stay: filters that L2 does not hold, a single layer, a filter that is one of
// the images, and a function that is no entry.
// CHECK-NOT: graph.slice
// CHECK: graph.convolution
// CHECK-NOT: graph.slice
// CHECK: return
module attributes {weir.target = #weir.target<l2 = 32768>} {
func.func @large_filter(%x: tensor<8x16x16x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<8x16x16x64xf32> attributes {weir.entry = "main"} {
  %a = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x16x16x64xf32>, tensor<3x3x64x64xf32>
  %b = graph.convolution %a, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x16x16x64xf32>, tensor<3x3x64x64xf32>
  return %b : tensor<8x16x16x64xf32>
}
func.func @single(%x: tensor<8x32x32x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<8x32x32x16xf32> attributes {weir.entry = "main"} {
  %a = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  %b = graph.relu %a : tensor<8x32x32x16xf32>
  return %b : tensor<8x32x32x16xf32>
}
func.func @of_images(%x: tensor<8x32x32x16xf32>, %w: tensor<8x3x16x16xf32>) -> tensor<8x32x32x16xf32> attributes {weir.entry = "main"} {
  %v = graph.relu %w : tensor<8x3x16x16xf32>
  %a = graph.convolution %x, %v strides [1, 1] padding_low [3, 1] padding_high [4, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<8x3x16x16xf32>
  %b = graph.convolution %a, %v strides [1, 1] padding_low [3, 1] padding_high [4, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<8x3x16x16xf32>
  return %b : tensor<8x32x32x16xf32>
}
func.func @no_entry(%x: tensor<8x32x32x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<8x32x32x16xf32> {
  %a = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  %b = graph.convolution %a, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<8x32x32x16xf32>, tensor<3x3x16x16xf32>
  return %b : tensor<8x32x32x16xf32>
}
}

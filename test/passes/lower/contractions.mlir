// Matrix products become kernels.
// RUN: weir-opt %s -split-input-file -weir-lower-graph -weir-choose-layouts | FileCheck %s

// Few rows read the right operand in place.
// CHECK-LABEL: @batched
func.func @batched(%a: tensor<5x3x2xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  // CHECK: %[[C:.*]] = tensor.empty() : tensor<5x2x4xf32>
  // CHECK: kernel.matmul ins(%arg0, %arg1 : tensor<5x3x2xf32>, tensor<5x3x4xf32>) outs(%[[C]] : tensor<5x2x4xf32>) -> tensor<5x2x4xf32> attributes {transpose_a}
  // CHECK: kernel.yield %{{.*}} : f32
  %c = graph.matmul %a, %b transpose_a : tensor<5x3x2xf32>, tensor<5x3x4xf32>
  return %c : tensor<5x2x4xf32>
}

// -----

// Many rows justify a packed copy; the target determines the width of a panel.
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  // CHECK-LABEL: @packed
  func.func @packed(%a: tensor<64x3xf32>, %b: tensor<40x3xf32>) -> tensor<64x40xf32> {
    // CHECK: kernel.pack ins(%arg1 : tensor<40x3xf32>) layout <panels(24)> outs(%{{.*}} : tensor<2x3x24xf32>) -> tensor<2x3x24xf32> {transpose_b}
    // CHECK: kernel.matmul
    %c = graph.matmul %a, %b transpose_b : tensor<64x3xf32>, tensor<40x3xf32>
    return %c : tensor<64x40xf32>
  }
}

// -----

// A constant is packed for any number of rows, also if element types differ.
// CHECK-LABEL: @row_of_bytes
func.func @row_of_bytes(%a: tensor<1x6xui8>, %b: tensor<6x4xi8> {weir.constant}) -> tensor<1x4xi32> {
  // CHECK: %[[B:.*]] = kernel.pack ins(%arg1 : tensor<6x4xi8>)
  // CHECK: kernel.matmul ins(%arg0, %[[B]] : tensor<1x6xi8>
  %c = graph.matmul %a, %b : tensor<1x6xui8>, tensor<6x4xi8>
  return %c : tensor<1x4xi32>
}

// -----

// Few columns of a constant use the K-major layout, if dot products take less time than
// vectors that are mostly empty.
// CHECK-LABEL: @few_columns
func.func @few_columns(%a: tensor<30x64xf32>, %b: tensor<64x3xf32> {weir.constant}, %c: tensor<64x7xf32> {weir.constant}) -> (tensor<30x3xf32>, tensor<30x7xf32>) {
  // CHECK: kernel.pack ins(%arg1 : tensor<64x3xf32>) layout <k_major> outs(%{{.*}} : tensor<3x64x1xf32>)
  %x = graph.matmul %a, %b : tensor<30x64xf32>, tensor<64x3xf32>
  // CHECK: kernel.pack ins(%arg2 : tensor<64x7xf32>) layout <panels(16)> outs(%{{.*}} : tensor<1x64x16xf32>)
  %y = graph.matmul %a, %c : tensor<30x64xf32>, tensor<64x7xf32>
  return %x, %y : tensor<30x3xf32>, tensor<30x7xf32>
}

// -----

// This does not hold if a window is so wide that its code would be long.
// CHECK-LABEL: @wide_window
func.func @wide_window(%x: tensor<1x99x32xf32>, %w: tensor<17x32x2xf32> {weir.constant}) -> tensor<1x83x2xf32> {
  // CHECK: kernel.pack_filter ins(%arg1 : tensor<17x32x2xf32>) groups 1 layout <panels(16)> outs(%{{.*}} : tensor<1x17x32x16xf32>)
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x99x32xf32>, tensor<17x32x2xf32>
  return %y : tensor<1x83x2xf32>
}

// -----

// One column needs no packing, also if it is no constant.
// CHECK-LABEL: @column
func.func @column(%a: tensor<3x30x64xf32>, %b: tensor<3x64x1xf32>, %c: tensor<3x1x64xf32>) -> (tensor<3x30x1xf32>, tensor<3x30x1xf32>) {
  // CHECK: %[[B:.*]] = tensor.expand_shape %arg1 {{\[\[}}0], [1, 2], [3]] output_shape [3, 1, 64, 1]
  // CHECK: kernel.matmul ins(%arg0, %[[B]] : tensor<3x30x64xf32>, tensor<3x1x64x1xf32>) layout <k_major>
  %x = graph.matmul %a, %b : tensor<3x30x64xf32>, tensor<3x64x1xf32>
  // CHECK: %[[C:.*]] = tensor.expand_shape %arg2 {{\[\[}}0], [1], [2, 3]] output_shape [3, 1, 64, 1]
  // CHECK: kernel.matmul ins(%arg0, %[[C]] : tensor<3x30x64xf32>, tensor<3x1x64x1xf32>) layout <k_major>
  %y = graph.matmul %a, %c transpose_b : tensor<3x30x64xf32>, tensor<3x1x64xf32>
  return %x, %y : tensor<3x30x1xf32>, tensor<3x30x1xf32>
}

// -----

// Few channels of a convolution use the layout, too, unless the filter is no constant.
// CHECK-LABEL: @few_channels
func.func @few_channels(%x: tensor<1x9x9x32xf32>, %w: tensor<3x3x32x2xf32> {weir.constant}, %v: tensor<3x3x32x2xf32>) -> (tensor<1x9x9x2xf32>, tensor<1x9x9x2xf32>) {
  // CHECK: kernel.pack_filter ins(%arg1 : tensor<3x3x32x2xf32>) groups 1 layout <k_major> outs(%{{.*}} : tensor<2x3x3x32x1xf32>)
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x9x9x32xf32>, tensor<3x3x32x2xf32>
  // CHECK: kernel.pack_filter ins(%arg2 : tensor<3x3x32x2xf32>) groups 1 layout <panels(16)> outs(%{{.*}} : tensor<1x3x3x32x16xf32>)
  %z = graph.convolution %x, %v strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x9x9x32xf32>, tensor<3x3x32x2xf32>
  return %y, %z : tensor<1x9x9x2xf32>, tensor<1x9x9x2xf32>
}

// -----

// f16 values are added in f32.
// CHECK-LABEL: @f16
func.func @f16(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>) -> tensor<2x4xf16> {
  // CHECK: kernel.matmul
  // CHECK: ^bb0(%[[SUM:.*]]: f32):
  // CHECK: %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK: kernel.yield %[[HALF]] : f16
  %c = graph.matmul %a, %b : tensor<2x3xf16>, tensor<3x4xf16>
  return %c : tensor<2x4xf16>
}

// -----

// Products modulo 2^n are the same for unsigned numbers.
// CHECK-LABEL: @unsigned
func.func @unsigned(%a: tensor<2x3xui8>, %b: tensor<3x4xui8>) -> tensor<2x4xui8> {
  // CHECK: kernel.matmul ins(%{{.*}} : tensor<2x3xi8>, tensor<3x4xi8>)
  %c = graph.matmul %a, %b : tensor<2x3xui8>, tensor<3x4xui8>
  return %c : tensor<2x4xui8>
}

// -----

// A sum of no terms is zero.
// CHECK-LABEL: @no_depth
func.func @no_depth(%a: tensor<2x0xf32>, %b: tensor<0x4xf32>) -> tensor<2x4xf32> {
  // CHECK: linalg.fill
  // CHECK-NOT: kernel
  // CHECK: return
  %c = graph.matmul %a, %b : tensor<2x0xf32>, tensor<0x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x9x7x4xf32>, %w: tensor<3x3x2x40xf32>) -> tensor<2x5x5x40xf32> {
  // CHECK: %[[W:.*]] = kernel.pack_filter ins(%arg1 : tensor<3x3x2x40xf32>) groups 2 layout <panels(24)> outs(%{{.*}} : tensor<2x3x3x2x24xf32>)
  // CHECK: kernel.convolution ins(%arg0, %[[W]] : {{.*}}) layout <{{.*}}> outs({{.*}}) -> tensor<2x5x5x40xf32> attributes {dilations = array<i64: 1, 1>, groups = 2 : i64, padding = array<i64: 1, 0>, strides = array<i64: 2, 1>}
  %y = graph.convolution %x, %w strides [2, 1] padding_low [1, 0] padding_high [1, 0] dilations [1, 1] groups 2 : tensor<2x9x7x4xf32>, tensor<3x3x2x40xf32>
  return %y : tensor<2x5x5x40xf32>
}

// -----

// A window of one pixel is a matrix product, with the pixels that strides select.
// CHECK-LABEL: @pointwise
func.func @pointwise(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x20xf32>) -> tensor<1x4x8x20xf32> {
  // CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 4, 8, 4] [1, 2, 1, 1]
  // CHECK: %[[W:.*]] = kernel.pack_filter
  // CHECK: %[[M:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<1x4x24xf32>
  // CHECK: kernel.matmul ins(%[[X]], %[[M]] : tensor<1x4x8x4xf32>, tensor<1x4x24xf32>) layout <panels(24)> {{.*}} attributes {shared}
  %y = graph.convolution %x, %w strides [2, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x8x8x4xf32>, tensor<1x1x4x20xf32>
  return %y : tensor<1x4x8x20xf32>
}

// -----

// If groups are this small, a vector has several.
// CHECK-LABEL: @small_groups
func.func @small_groups(%x: tensor<1x8x32xf32>, %w: tensor<3x4x32xf32>) -> tensor<1x8x32xf32> {
  // CHECK: kernel.depthwise ins(%arg0, %arg1 : tensor<1x8x32xf32>, tensor<3x4x32xf32>)
  %y = graph.convolution %x, %w strides [1] padding_low [1] padding_high [1] dilations [1] groups 8 : tensor<1x8x32xf32>, tensor<3x4x32xf32>
  return %y : tensor<1x8x32xf32>
}

// -----

// CHECK-LABEL: @groups_of_halves
func.func @groups_of_halves(%x: tensor<1x8x32xf32>, %w: tensor<3x8x32xf32>) -> tensor<1x8x32xf32> {
  // CHECK: kernel.convolution
  %y = graph.convolution %x, %w strides [1] padding_low [1] padding_high [1] dilations [1] groups 4 : tensor<1x8x32xf32>, tensor<3x8x32xf32>
  return %y : tensor<1x8x32xf32>
}

// -----

// CHECK-LABEL: @depthwise
func.func @depthwise(%x: tensor<1x8x4xf32>, %w: tensor<3x1x4xf32>) -> tensor<1x8x4xf32> {
  // CHECK: %[[W:.*]] = tensor.collapse_shape %arg1 {{.*}} into tensor<3x4xf32>
  // CHECK: kernel.depthwise ins(%arg0, %[[W]] : tensor<1x8x4xf32>, tensor<3x4xf32>) {{.*}} attributes {dilations = array<i64: 1>, padding = array<i64: 1>, strides = array<i64: 1>}
  %y = graph.convolution %x, %w strides [1] padding_low [1] padding_high [1] dilations [1] groups 4 : tensor<1x8x4xf32>, tensor<3x1x4xf32>
  return %y : tensor<1x8x4xf32>
}

// -----

// A constant filter with enough channels is transformed for the fastest tiles. Small
// images, strides and some windows get tiles of 2 x 2 results. A direct sum stays if
// sums have few products, or if the filter is an input.
// CHECK-LABEL: @winograd
func.func @winograd(%x: tensor<1x14x14x32xf32>, %w: tensor<3x3x32x40xf32> {weir.constant}) -> tensor<1x14x14x40xf32> {
  // CHECK: %[[W:.*]] = kernel.transform_filter ins(%arg1 : tensor<3x3x32x40xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%{{.*}} : tensor<2x16x32x32xf32>)
  // CHECK: kernel.winograd ins(%arg0, %[[W]] : {{.*}}) layout <winograd({{[0-9]+}}, 2, 2, 1, 1)> outs({{.*}}) -> tensor<1x14x14x40xf32> attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>}
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x14x14x32xf32>, tensor<3x3x32x40xf32>
  return %y : tensor<1x14x14x40xf32>
}
// A Winograd convolution needs more than half a vector of channels; fewer channels use
// dot products.
// CHECK-LABEL: @most_of_a_vector
func.func @most_of_a_vector(%x: tensor<1x32x32x64xf32>, %w: tensor<3x3x64x9xf32> {weir.constant}, %v: tensor<3x3x64x8xf32> {weir.constant}) -> (tensor<1x32x32x9xf32>, tensor<1x32x32x8xf32>) {
  // CHECK: kernel.winograd
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x32x32x64xf32>, tensor<3x3x64x9xf32>
  // CHECK: kernel.convolution
  %z = graph.convolution %x, %v strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x32x32x64xf32>, tensor<3x3x64x8xf32>
  return %y, %z : tensor<1x32x32x9xf32>, tensor<1x32x32x8xf32>
}
// CHECK-LABEL: @large
func.func @large(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32> {weir.constant}) -> tensor<1x56x56x64xf32> {
  // CHECK: kernel.transform_filter {{.*}} layout <winograd(32, 4, 4, {{.*}})> outs(%{{.*}} : tensor<2x49x64x32xf32>)
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<1x56x56x64xf32>
}
// CHECK-LABEL: @wide
func.func @wide(%x: tensor<1x14x14x32xf32>, %w: tensor<5x5x32x64xf32> {weir.constant}) -> tensor<1x14x14x64xf32> {
  // CHECK: kernel.transform_filter {{.*}} layout <winograd(32, 2, 2, {{.*}})> outs(%{{.*}} : tensor<2x49x32x32xf32>)
  %y = graph.convolution %x, %w strides [1, 1] padding_low [2, 2] padding_high [2, 2] dilations [1, 1] groups 1 : tensor<1x14x14x32xf32>, tensor<5x5x32x64xf32>
  return %y : tensor<1x14x14x64xf32>
}
// CHECK-LABEL: @narrow
func.func @narrow(%x: tensor<1x9x9x3xf32>, %w: tensor<3x3x3x40xf32> {weir.constant}) -> tensor<1x9x9x40xf32> {
  // CHECK: kernel.convolution
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x9x9x3xf32>, tensor<3x3x3x40xf32>
  return %y : tensor<1x9x9x40xf32>
}
// CHECK-LABEL: @narrow_of_many_taps
func.func @narrow_of_many_taps(%x: tensor<1x32x32x3xf32>, %w: tensor<7x7x3x40xf32> {weir.constant}) -> tensor<1x16x16x40xf32> {
  // CHECK: kernel.transform_filter {{.*}} layout <winograd(32, 2, 2, 2, 2)> outs(%{{.*}} : tensor<2x100x3x32xf32>)
  %y = graph.convolution %x, %w strides [2, 2] padding_low [2, 2] padding_high [3, 3] dilations [1, 1] groups 1 : tensor<1x32x32x3xf32>, tensor<7x7x3x40xf32>
  return %y : tensor<1x16x16x40xf32>
}
// CHECK-LABEL: @too_many_products
func.func @too_many_products(%x: tensor<1x32x32x4xf32>, %w: tensor<13x13x4x40xf32> {weir.constant}) -> tensor<1x32x32x40xf32> {
  // CHECK: kernel.convolution
  %y = graph.convolution %x, %w strides [1, 1] padding_low [6, 6] padding_high [6, 6] dilations [1, 1] groups 1 : tensor<1x32x32x4xf32>, tensor<13x13x4x40xf32>
  return %y : tensor<1x32x32x40xf32>
}
// CHECK-LABEL: @strided
func.func @strided(%x: tensor<1x28x28x32xf32>, %w: tensor<3x3x32x40xf32> {weir.constant}) -> tensor<1x14x14x40xf32> {
  // CHECK: kernel.transform_filter {{.*}} layout <winograd(32, 2, 2, 2, 2)> outs(%{{.*}} : tensor<2x25x32x32xf32>)
  %y = graph.convolution %x, %w strides [2, 2] padding_low [0, 0] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x40xf32>
  return %y : tensor<1x14x14x40xf32>
}
// With dilations, results with the same distance as the taps are images of their own:
// here four of 14 x 14. Strides with dilations leave a direct sum.
// CHECK-LABEL: @dilated
func.func @dilated(%x: tensor<1x28x28x32xf32>, %w: tensor<3x3x32x40xf32> {weir.constant}) -> (tensor<1x28x28x40xf32>, tensor<1x14x14x40xf32>) {
  // CHECK: kernel.winograd {{.*}} attributes {dilations = array<i64: 2, 2>, padding = array<i64: 2, 2>,
  %y = graph.convolution %x, %w strides [1, 1] padding_low [2, 2] padding_high [2, 2] dilations [2, 2] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x40xf32>
  // CHECK: kernel.convolution
  %z = graph.convolution %x, %w strides [2, 2] padding_low [1, 1] padding_high [2, 2] dilations [2, 2] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x40xf32>
  return %y, %z : tensor<1x28x28x40xf32>, tensor<1x14x14x40xf32>
}
// A direct sum leaves out taps outside of the image. With large dilations most taps are
// outside.
// CHECK-LABEL: @far_apart
func.func @far_apart(%x: tensor<1x28x28x32xf32>, %w: tensor<3x3x32x40xf32> {weir.constant}) -> tensor<1x28x28x40xf32> {
  // CHECK: kernel.convolution
  %y = graph.convolution %x, %w strides [1, 1] padding_low [24, 24] padding_high [24, 24] dilations [24, 24] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x40xf32>
  return %y : tensor<1x28x28x40xf32>
}
// A filter that is no constant is transformed at run time if that saves time.
// CHECK-LABEL: @variable
func.func @variable(%x: tensor<1x9x9x32xf32>, %w: tensor<3x3x32x40xf32>) -> tensor<1x9x9x40xf32> {
  // CHECK: %[[W:.*]] = kernel.transform_filter ins(%arg1 : {{.*}}) layout <winograd({{[0-9]+}}, 2, 2, {{.*}})>
  // CHECK: kernel.winograd ins(%arg0, %[[W]] : {{.*}})
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x9x9x32xf32>, tensor<3x3x32x40xf32>
  return %y : tensor<1x9x9x40xf32>
}
// CHECK-LABEL: @few
func.func @few(%x: tensor<1x5x9x48xf32>, %w: tensor<3x3x48x16xf32> {weir.constant}, %v: tensor<3x3x48x16xf32>) -> (tensor<1x5x9x16xf32>, tensor<1x5x9x16xf32>) {
  // CHECK: kernel.winograd
  %y = graph.convolution %x, %w strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x5x9x48xf32>, tensor<3x3x48x16xf32>
  // CHECK: kernel.convolution
  %z = graph.convolution %x, %v strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x5x9x48xf32>, tensor<3x3x48x16xf32>
  return %y, %z : tensor<1x5x9x16xf32>, tensor<1x5x9x16xf32>
}
// CHECK-LABEL: @many_taps
func.func @many_taps(%x: tensor<16x16x16x32xf32>, %w: tensor<9x9x32x32xf32>) -> tensor<16x8x8x32xf32> {
  // CHECK: kernel.convolution
  %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<16x16x16x32xf32>, tensor<9x9x32x32xf32>
  return %y : tensor<16x8x8x32xf32>
}

// -----

// The kernel keeps the dynamic depth.
// CHECK-LABEL: @depth
// CHECK: kernel.matmul ins(%{{.*}}) depth(%arg2 : tensor<i64>) outs
func.func @depth(%a: tensor<4x64xf32>, %b: tensor<64x16xf32>, %n: tensor<i64>) -> tensor<4x16xf32> {
  %c = graph.matmul %a, %b depth %n : tensor<4x64xf32>, tensor<64x16xf32>
  return %c : tensor<4x16xf32>
}

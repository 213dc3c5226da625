// Convolutions of volumes and of one dimension become convolutions of images.
// RUN: weir-opt %s -split-input-file -weir-form-images | FileCheck %s

// Each of four layers of results depends on three layers of the padded volume, with a
// distance of two. They become the channels of one image.
// CHECK-LABEL: func.func @layers
// CHECK: %[[PADDED:.*]] = graph.pad %arg0, %{{.*}} low [0, 1, 0, 0, 0] high [0, 2, 0, 0, 0]
// CHECK: %[[A:.*]] = graph.slice %[[PADDED]] [0, 0, 0, 0, 0] to [2, 7, 9, 7, 5] by [1, 2, 1, 1, 1]
// CHECK: %[[B:.*]] = graph.slice %[[PADDED]] [0, 2, 0, 0, 0] to [2, 9, 9, 7, 5] by [1, 2, 1, 1, 1]
// CHECK: %[[C:.*]] = graph.slice %[[PADDED]] [0, 4, 0, 0, 0] to [2, 11, 9, 7, 5] by [1, 2, 1, 1, 1]
// CHECK: %[[ALL:.*]] = graph.concat %[[A]], %[[B]], %[[C]] axis 4
// CHECK: %[[IMAGES:.*]] = graph.reshape %[[ALL]] : tensor<2x4x9x7x15xf32> to tensor<8x9x7x15xf32>
// CHECK: %[[TURNED:.*]] = graph.transpose %arg1 [1, 2, 0, 3, 4]
// CHECK: %[[FILTER:.*]] = graph.reshape %[[TURNED]] : tensor<3x2x3x5x6xf32> to tensor<3x2x15x6xf32>
// CHECK: %[[MADE:.*]] = graph.convolution %[[IMAGES]], %[[FILTER]] strides [1, 2] padding_low [1, 0] padding_high [1, 1] dilations [1, 1] groups 1
// CHECK: graph.reshape %[[MADE]] : tensor<8x9x4x6xf32> to tensor<2x4x9x4x6xf32>
func.func @layers(%x: tensor<2x8x9x7x5xf32>, %w: tensor<3x3x2x5x6xf32>) -> tensor<2x4x9x4x6xf32> {
  %y = graph.convolution %x, %w strides [2, 1, 2] padding_low [1, 1, 0] padding_high [2, 1, 1] dilations [2, 1, 1] groups 1 : tensor<2x8x9x7x5xf32>, tensor<3x3x2x5x6xf32>
  return %y : tensor<2x4x9x4x6xf32>
}

// -----

// Groups have separate channels, so this convolution stays. An image stays, too.
// CHECK-LABEL: func.func @groups_and_images
// CHECK-NOT: graph.concat
// CHECK: graph.convolution %arg0, %arg1 {{.*}} groups 2
// CHECK: graph.convolution %arg2, %arg3
func.func @groups_and_images(%x: tensor<1x8x9x7x4xf32>, %w: tensor<3x3x3x2x6xf32>, %i: tensor<1x9x9x4xf32>, %f: tensor<3x3x4x8xf32>) -> (tensor<1x6x7x5x6xf32>, tensor<1x7x7x8xf32>) {
  %y = graph.convolution %x, %w strides [1, 1, 1] padding_low [0, 0, 0] padding_high [0, 0, 0] dilations [1, 1, 1] groups 2 : tensor<1x8x9x7x4xf32>, tensor<3x3x3x2x6xf32>
  %z = graph.convolution %i, %f strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x9x9x4xf32>, tensor<3x3x4x8xf32>
  return %y, %z : tensor<1x6x7x5x6xf32>, tensor<1x7x7x8xf32>
}

// -----

// For windows of one row and one column, a layer is a row of an image.
// CHECK-LABEL: func.func @row_per_layer
// CHECK: %[[X:.*]] = graph.reshape %arg0 : tensor<2x8x9x7x5xf32> to tensor<2x8x63x5xf32>
// CHECK: %[[W:.*]] = graph.reshape %arg1 : tensor<3x1x1x5x6xf32> to tensor<3x1x5x6xf32>
// CHECK: %[[Y:.*]] = graph.convolution %[[X]], %[[W]] strides [2, 1] padding_low [1, 0] padding_high [2, 0] dilations [1, 1] groups 1
// CHECK: graph.reshape %[[Y]] : tensor<2x5x63x6xf32> to tensor<2x5x9x7x6xf32>
func.func @row_per_layer(%x: tensor<2x8x9x7x5xf32>, %w: tensor<3x1x1x5x6xf32>) -> tensor<2x5x9x7x6xf32> {
  %y = graph.convolution %x, %w strides [2, 1, 1] padding_low [1, 0, 0] padding_high [2, 0, 0] dilations [1, 1, 1] groups 1 : tensor<2x8x9x7x5xf32>, tensor<3x1x1x5x6xf32>
  return %y : tensor<2x5x9x7x6xf32>
}

// -----

// A convolution of one dimension has images of one row.
// CHECK-LABEL: func.func @row
// CHECK: %[[X:.*]] = graph.reshape %arg0 : tensor<2x9x4xf32> to tensor<2x1x9x4xf32>
// CHECK: %[[W:.*]] = graph.reshape %arg1 : tensor<3x4x8xf32> to tensor<1x3x4x8xf32>
// CHECK: %[[Y:.*]] = graph.convolution %[[X]], %[[W]] strides [1, 2] padding_low [0, 3] padding_high [0, 1] dilations [1, 2] groups 1
// CHECK: graph.reshape %[[Y]] : tensor<2x1x5x8xf32> to tensor<2x5x8xf32>
func.func @row(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) -> tensor<2x5x8xf32> {
  %y = graph.convolution %x, %w strides [2] padding_low [3] padding_high [1] dilations [2] groups 1 : tensor<2x9x4xf32>, tensor<3x4x8xf32>
  return %y : tensor<2x5x8xf32>
}

// -----

// Windows of one pixel, groups and bytes stay.
// CHECK-LABEL: func.func @rows_left
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @rows_left(%x: tensor<2x9x4xf32>, %w: tensor<1x4x8xf32>, %v: tensor<3x2x8xf32>) -> (tensor<2x9x8xf32>, tensor<2x7x8xf32>) {
  %y = graph.convolution %x, %w strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<2x9x4xf32>, tensor<1x4x8xf32>
  %z = graph.convolution %x, %v strides [1] padding_low [0] padding_high [0] dilations [1] groups 2 : tensor<2x9x4xf32>, tensor<3x2x8xf32>
  return %y, %z : tensor<2x9x8xf32>, tensor<2x7x8xf32>
}
// CHECK-LABEL: func.func @bytes_left
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @bytes_left(%x: tensor<1x8x9x7x4xui8>, %w: tensor<3x3x3x4x6xi8>, %l: tensor<1x8x4xui8>, %f: tensor<3x4x6xi8>) -> (tensor<1x6x7x5x6xi32>, tensor<1x6x6xi32>) {
  %y = graph.convolution %x, %w strides [1, 1, 1] padding_low [0, 0, 0] padding_high [0, 0, 0] dilations [1, 1, 1] groups 1 : tensor<1x8x9x7x4xui8>, tensor<3x3x3x4x6xi8>
  %z = graph.convolution %l, %f strides [1] padding_low [0] padding_high [0] dilations [1] groups 1 : tensor<1x8x4xui8>, tensor<3x4x6xi8>
  return %y, %z : tensor<1x6x7x5x6xi32>, tensor<1x6x6xi32>
}

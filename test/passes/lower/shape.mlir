// Ops that move elements to known positions become linalg on tensors.
// RUN: weir-opt %s --weir-lower-graph --split-input-file | FileCheck %s

// CHECK-LABEL: @collapse
func.func @collapse(%x: tensor<2x3xui8>) -> tensor<6xui8> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<2x3xi8> into tensor<6xi8>
  %y = graph.reshape %x : tensor<2x3xui8> to tensor<6xui8>
  return %y : tensor<6xui8>
}

// If no dimensions correspond, a flat tensor is between the two shapes.
// CHECK-LABEL: @regroup
func.func @regroup(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // CHECK: tensor.collapse_shape {{.*}} into tensor<6xf32>
  // CHECK: tensor.expand_shape {{.*}} : tensor<6xf32> into tensor<3x2xf32>
  %y = graph.reshape %x : tensor<2x3xf32> to tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// CHECK: #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[FROM]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<2x3x4xf32>)
  %y = graph.transpose %x [1, 2, 0] : tensor<2x3x4xf32>
  return %y : tensor<3x4x2xf32>
}

// -----

// CHECK: #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<1x3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[FROM]], #{{.*}}]
  %y = graph.broadcast %x [1, 2] : tensor<1x3xf32> to tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<2x6xf32>) -> tensor<1x3xf32> {
  // With a size of one the stride has no effect.
  // CHECK: tensor.extract_slice %{{.*}}[0, 1] [1, 3] [1, 2] : tensor<2x6xf32> to tensor<1x3xf32>
  %y = graph.slice %x [0, 1] to [1, 6] by [5, 2] : tensor<2x6xf32>
  return %y : tensor<1x3xf32>
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x7xf32> {
  // CHECK: %[[VALUE:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
  // CHECK: %[[FILLED:.*]] = linalg.fill ins(%[[VALUE]] : f32)
  // CHECK: tensor.insert_slice %{{.*}} into %[[FILLED]][1, 0] [2, 3] [1, 2]
  %y = graph.pad %x, %v low [1, 0] high [0, 2] interior [0, 1] : tensor<2x3xf32>
  return %y : tensor<3x7xf32>
}

// CHECK-LABEL: @concat
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[A:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [2, 3] [1, 1]
  // CHECK: tensor.insert_slice %{{.*}} into %[[A]][0, 3] [2, 1] [1, 1]
  %y = graph.concat %a, %b axis 1 : tensor<2x3xf32>, tensor<2x1xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @reverse
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-DAG: %[[ROW:.*]] = linalg.index 0
  // CHECK-DAG: %[[COLUMN:.*]] = linalg.index 1
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 2 : index
  // CHECK: %[[AT:.*]] = arith.subi %[[LAST]], %[[COLUMN]]
  // CHECK: tensor.extract %{{.*}}[%[[ROW]], %[[AT]]]
  %y = graph.reverse %x [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @iota
func.func @iota() -> tensor<5000x2xf16> {
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: arith.index_cast %[[I]] : index to i64
  // CHECK: arith.sitofp {{.*}} : i64 to f32
  // CHECK: arith.truncf {{.*}} : f32 to f16
  %y = graph.iota axis 0 : tensor<5000x2xf16>
  return %y : tensor<5000x2xf16>
}

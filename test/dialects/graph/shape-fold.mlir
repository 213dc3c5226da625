// Ops of family Shape fold and simplify.
// RUN: weir-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<f32>, %[[E:.*]]: tensor<0x3xf32>)
func.func @identities(%x: tensor<2x3xf32>, %v: tensor<f32>, %e: tensor<0x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.reshape %x : tensor<2x3xf32> to tensor<2x3xf32>
  %1 = graph.transpose %x [0, 1] : tensor<2x3xf32>
  %2 = graph.broadcast %x [0, 1] : tensor<2x3xf32> to tensor<2x3xf32>
  %3 = graph.slice %x [0, 0] to [2, 3] by [1, 1] : tensor<2x3xf32>
  %4 = graph.pad %x, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<2x3xf32>
  %5 = graph.concat %e, %x axis 0 : tensor<0x3xf32>, tensor<2x3xf32>
  %a = graph.reverse %x [0] : tensor<2x3xf32>
  %6 = graph.reverse %a [0] : tensor<2x3xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @reshapes
func.func @reshapes(%x: tensor<2x3xf32>) -> tensor<6x1xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %{{.*}} : tensor<2x3xf32> to tensor<6x1xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.reshape %x : tensor<2x3xf32> to tensor<3x2xf32>
  %1 = graph.reshape %0 : tensor<3x2xf32> to tensor<6x1xf32>
  return %1 : tensor<6x1xf32>
}

// CHECK-LABEL: @transposes
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = graph.transpose %{{.*}} [1, 2, 0] : tensor<2x3x4xf32>
  // CHECK-NEXT: return %{{.*}}, %[[Y]]
  %0 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %1 = graph.transpose %0 [1, 2, 0] : tensor<4x2x3xf32>
  %2 = graph.transpose %0 [2, 0, 1] : tensor<4x2x3xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<3x4x2xf32>
}

// CHECK-LABEL: @transpose_of_ones
func.func @transpose_of_ones(%x: tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32> {
  // CHECK-NEXT: graph.reshape %{{.*}} : tensor<1x3x1x4xf32> to tensor<3x1x4x1xf32>
  %0 = graph.transpose %x [1, 2, 3, 0] : tensor<1x3x1x4xf32>
  return %0 : tensor<3x1x4x1xf32>
}

// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<3xf32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: graph.broadcast %{{.*}} [2] : tensor<3xf32> to tensor<4x2x3xf32>
  %0 = graph.broadcast %x [1] : tensor<3xf32> to tensor<2x3xf32>
  %1 = graph.broadcast %0 [1, 2] : tensor<2x3xf32> to tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<20x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: graph.slice %{{.*}} [5, 0] to [12, 3] by [6, 1] : tensor<20x3xf32>
  %0 = graph.slice %x [1, 0] to [20, 3] by [2, 1] : tensor<20x3xf32>
  %1 = graph.slice %0 [2, 0] to [8, 3] by [3, 1] : tensor<10x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @slice_of_concat
// CHECK-SAME: (%{{.*}}: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>)
func.func @slice_of_concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[INNER:.*]] = graph.slice %[[B]] [1] to [3] by [1] : tensor<3xf32>
  // CHECK: %[[ACROSS:.*]] = graph.slice %{{.*}} [1] to [3] by [1] : tensor<5xf32>
  %0 = graph.concat %a, %b axis 0 : tensor<2xf32>, tensor<3xf32>
  %1 = graph.slice %0 [3] to [5] by [1] : tensor<5xf32>
  %2 = graph.slice %0 [1] to [3] by [1] : tensor<5xf32>
  // CHECK: return %[[INNER]], %[[ACROSS]]
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @concats
func.func @concats(%a: tensor<2xf32>, %e: tensor<0xf32>) -> tensor<6xf32> {
  // CHECK-NEXT: graph.concat %{{.*}}, %{{.*}}, %{{.*}} axis 0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %0 = graph.concat %a, %a axis 0 : tensor<2xf32>, tensor<2xf32>
  %1 = graph.concat %0, %e, %a axis 0 : tensor<4xf32>, tensor<0xf32>, tensor<2xf32>
  return %1 : tensor<6xf32>
}

// -----

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<2x2xi32>, tensor<4x4xi32>, tensor<2x4xi32>, tensor<2x3xi32>, tensor<2x2xbf16>) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = graph.constant dense<9> : tensor<i32>
  %c = graph.constant dense<[[7], [8]]> : tensor<2x1xi32>
  // CHECK-DAG: dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %0 = graph.transpose %x [1, 0] : tensor<2x3xi32>
  // CHECK-DAG: dense<{{\[\[\[}}1, 2, 3], [1, 2, 3]], {{\[\[}}4, 5, 6], [4, 5, 6]]]> : tensor<2x2x3xi32>
  %1 = graph.broadcast %x [0, 2] : tensor<2x3xi32> to tensor<2x2x3xi32>
  // CHECK-DAG: dense<{{\[\[}}1, 3], [4, 6]]> : tensor<2x2xi32>
  %2 = graph.slice %x [0, 0] to [2, 3] by [1, 2] : tensor<2x3xi32>
  // CHECK-DAG: dense<{{\[\[}}9, 1, 2, 3], [9, 9, 9, 9], [9, 4, 5, 6], [9, 9, 9, 9]]> : tensor<4x4xi32>
  %3 = graph.pad %x, %v low [0, 1] high [1, 0] interior [1, 0] : tensor<2x3xi32>
  // CHECK-DAG: dense<{{\[\[}}1, 2, 3, 7], [4, 5, 6, 8]]> : tensor<2x4xi32>
  %4 = graph.concat %x, %c axis 1 : tensor<2x3xi32>, tensor<2x1xi32>
  // CHECK-DAG: dense<{{\[\[}}6, 5, 4], [3, 2, 1]]> : tensor<2x3xi32>
  %5 = graph.reverse %x [0, 1] : tensor<2x3xi32>
  // CHECK-DAG: dense<{{\[\[}}0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00]]> : tensor<2x2xbf16>
  %6 = graph.iota axis 0 : tensor<2x2xbf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<2x2xi32>, tensor<4x4xi32>, tensor<2x4xi32>, tensor<2x3xi32>, tensor<2x2xbf16>
}

// -----

// Splats of any size fold, and other constants only if they are small. A broadcast of
// floats folds only if it adds no elements.
// CHECK-LABEL: @splats
func.func @splats() -> (tensor<1000x1000xf32>, tensor<2000xf32>, tensor<10xf32>, tensor<2x5xf32>, tensor<2x1xf32>) {
  // CHECK-DAG: %[[A:.*]] = graph.constant dense<1.000000e+00> : tensor<1000x1000xf32>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<1.000000e+00> : tensor<2000xf32>
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<1.000000e+00> : tensor<10xf32>
  %v = graph.constant dense<1.0> : tensor<f32>
  %x = graph.constant dense<1.0> : tensor<1000xf32>
  %p = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.broadcast %v [] : tensor<f32> to tensor<1000x1000xf32>
  %1 = graph.concat %x, %x axis 0 : tensor<1000xf32>, tensor<1000xf32>
  %2 = graph.slice %x [0] to [1000] by [100] : tensor<1000xf32>
  // CHECK-DAG: %[[E:.*]] = graph.constant dense<{{.*}}> : tensor<2x1xf32>
  // CHECK: %[[D:.*]] = graph.broadcast
  %3 = graph.broadcast %p [0] : tensor<2xf32> to tensor<2x5xf32>
  %4 = graph.broadcast %p [0] : tensor<2xf32> to tensor<2x1xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<1000x1000xf32>, tensor<2000xf32>, tensor<10xf32>, tensor<2x5xf32>, tensor<2x1xf32>
}

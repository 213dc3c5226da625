// Requests for gradients are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @barrier(
// CHECK: graph.barrier %{{.*}} : tensor<4xf32>
func.func @barrier(%x: tensor<4xf32>) {
  %y = graph.barrier %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @stop_gradient(
// CHECK: graph.stop_gradient %{{.*}} : tensor<4xf32>
// CHECK: graph.stop_gradient %{{.*}} refusal "is not to be differentiated" : tensor<4xf32>
func.func @stop_gradient(%x: tensor<4xf32>) {
  %y = graph.stop_gradient %x : tensor<4xf32>
  %z = graph.stop_gradient %x refusal "is not to be differentiated" : tensor<4xf32>
  return
}

// CHECK-LABEL: @gradient(
// CHECK: graph.gradient %{{.*}} of %{{.*}}, %{{.*}} : tensor<f32>, (tensor<4xf32>, tensor<4xf32>)
func.func @gradient(%c: tensor<f32>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  %dx, %dy = graph.gradient %c of %x, %y : tensor<f32>, (tensor<4xf32>, tensor<4xf32>)
  return
}

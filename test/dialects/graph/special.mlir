// Special functions are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @erfc(
// CHECK: graph.erfc %{{.*}} : tensor<4xf32>
func.func @erfc(%x: tensor<4xf32>) {
  %y = graph.erfc %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @lgamma(
// CHECK: graph.lgamma %{{.*}} : tensor<4xf32>
func.func @lgamma(%x: tensor<4xf32>) {
  %y = graph.lgamma %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @digamma(
// CHECK: graph.digamma %{{.*}} : tensor<4xf32>
func.func @digamma(%x: tensor<4xf32>) {
  %y = graph.digamma %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @igamma(
// CHECK: graph.igamma %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @igamma(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.igamma %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @igammac(
// CHECK: graph.igammac %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @igammac(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.igammac %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @zeta(
// CHECK: graph.zeta %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @zeta(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.zeta %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @polygamma(
// CHECK: graph.polygamma %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @polygamma(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.polygamma %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @betainc(
// CHECK: graph.betainc %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @betainc(%a: tensor<4xf32>, %b: tensor<4xf32>, %x: tensor<4xf32>) {
  %y = graph.betainc %a, %b, %x : tensor<4xf32>
  return
}

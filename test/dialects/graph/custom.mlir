// A function outside of the model computes this op. The test has the example of the
// description and a round trip.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @custom
func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.custom "my_swish"(%{{.*}}) parts 2 scratch 64 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
  %y, %failed = graph.custom "my_swish"(%x) parts 2 scratch 64 dtypes [3, 3] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
  return %y : tensor<4xf32>
}

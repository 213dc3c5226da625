// The ranks of a mesh compute these ops together. The test has the examples of the
// descriptions and a round trip.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK: weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 3]>
module attributes {weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 3]>} {
  // CHECK-LABEL: @all_reduce
  func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: graph.all_reduce sum %{{.*}} over ["data"] : tensor<4xf32>
    %y = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    return %y : tensor<4xf32>
  }

  // CHECK-LABEL: @all_gather
  func.func @all_gather(%x: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<12x3xf32>) {
    // CHECK: graph.all_gather %{{.*}} along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
    %y = graph.all_gather %x along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
    // CHECK: graph.all_gather %{{.*}} along 0 over ["data", "model"] : tensor<2x3xf32> to tensor<12x3xf32>
    %z = graph.all_gather %x along 0 over ["data", "model"] : tensor<2x3xf32> to tensor<12x3xf32>
    return %y, %z : tensor<4x3xf32>, tensor<12x3xf32>
  }

  // CHECK-LABEL: @own_part
  func.func @own_part(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    // CHECK: graph.own_part %{{.*}} along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    %y = graph.own_part %x along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }

  // CHECK-LABEL: @reduce_scatter
  func.func @reduce_scatter(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    // CHECK: graph.reduce_scatter %{{.*}} along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    %y = graph.reduce_scatter %x along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

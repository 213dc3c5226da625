// The ranks of a mesh compute these ops together. The test has the examples of the
// descriptions and a round trip.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK: weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 3]>
module attributes {weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 3]>} {
  // CHECK-LABEL: @collectives
  func.func @collectives(%x: tensor<4xf32>, %p: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<12x3xf32>) {
    // CHECK: graph.all_reduce sum %{{.*}} over ["data"] : tensor<4xf32>
    %y = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    // CHECK: graph.all_gather %{{.*}} along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
    %g = graph.all_gather %p along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
    // CHECK: graph.own_part %{{.*}} along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    %o = graph.own_part %w along 0 over ["data"] : tensor<4x3xf32> to tensor<2x3xf32>
    // CHECK: graph.all_gather %{{.*}} along 0 over ["data", "model"] : tensor<2x3xf32> to tensor<12x3xf32>
    %a = graph.all_gather %p along 0 over ["data", "model"] : tensor<2x3xf32> to tensor<12x3xf32>
    return %y, %g, %o, %a : tensor<4xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<12x3xf32>
  }
}

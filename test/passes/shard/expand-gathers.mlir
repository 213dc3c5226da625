// RUN: weir-opt %s --weir-expand-gathers | FileCheck %s

module attributes {weir.mesh = #weir.mesh<axes = ["m"], sizes = [2]>} {
  // The description's example.
  // CHECK-LABEL: func.func @gather(
  // CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
  // CHECK-NEXT: %[[A:.*]] = graph.reshape %[[X]] : tensor<2x3xf32> to tensor<1x2x3xf32>
  // CHECK-NEXT: %[[B:.*]] = graph.all_gather %[[A]] along 0 over ["m"] : tensor<1x2x3xf32> to tensor<2x2x3xf32>
  // CHECK-NEXT: %[[C:.*]] = graph.transpose %[[B]] [1, 0, 2] : tensor<2x2x3xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[C]] : tensor<2x2x3xf32> to tensor<2x6xf32>
  // CHECK-NEXT: return %[[Y]]
  func.func @gather(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %y = graph.all_gather %x along 1 over ["m"] : tensor<2x3xf32> to tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }

  // CHECK-LABEL: func.func @part(
  // CHECK: graph.reshape %{{.*}} : tensor<2x6xf32> to tensor<2x2x3xf32>
  // CHECK: graph.transpose %{{.*}} [1, 0, 2] : tensor<2x2x3xf32>
  // CHECK: graph.own_part %{{.*}} along 0 over ["m"] : tensor<2x2x3xf32> to tensor<1x2x3xf32>
  // CHECK: graph.reshape %{{.*}} : tensor<1x2x3xf32> to tensor<2x3xf32>
  func.func @part(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
    %y = graph.own_part %x along 1 over ["m"] : tensor<2x6xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }

  // CHECK-LABEL: func.func @scatter(
  // CHECK: graph.reshape %{{.*}} : tensor<2x6xf32> to tensor<2x2x3xf32>
  // CHECK: graph.transpose %{{.*}} [1, 0, 2] : tensor<2x2x3xf32>
  // CHECK: graph.reduce_scatter %{{.*}} along 0 over ["m"] : tensor<2x2x3xf32> to tensor<1x2x3xf32>
  func.func @scatter(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
    %y = graph.reduce_scatter %x along 1 over ["m"] : tensor<2x6xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }

  // Parts along the outermost dimension are contiguous already.
  // CHECK-LABEL: func.func @contiguous(
  // CHECK-NEXT: graph.all_gather
  // CHECK-NEXT: graph.own_part
  // CHECK-NEXT: return
  func.func @contiguous(%x: tensor<2x3xf32>, %w: tensor<1x6xf32>) -> (tensor<4x3xf32>, tensor<1x3xf32>) {
    %y = graph.all_gather %x along 0 over ["m"] : tensor<2x3xf32> to tensor<4x3xf32>
    %o = graph.own_part %w along 1 over ["m"] : tensor<1x6xf32> to tensor<1x3xf32>
    return %y, %o : tensor<4x3xf32>, tensor<1x3xf32>
  }
}

// RUN: weir-opt %s --split-input-file --weir-join-micro-batches --verify-diagnostics | FileCheck %s

// Pairs of neighbours are added first, and then those of ranks.
// CHECK: module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.micro_batches = 4 : i64}
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: tensor<8x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32>
// CHECK-COUNT-4: graph.slice %[[X]]
// CHECK: %[[A:.*]] = graph.reduce_sum
// CHECK-NEXT: %[[B:.*]] = graph.reduce_sum
// CHECK-NEXT: %[[C:.*]] = graph.reduce_sum
// CHECK-NEXT: %[[D:.*]] = graph.reduce_sum
// CHECK-NEXT: %[[AB:.*]] = graph.add %[[A]], %[[B]]
// CHECK-NEXT: %[[CD:.*]] = graph.add %[[C]], %[[D]]
// CHECK-NEXT: %[[S:.*]] = graph.add %[[AB]], %[[CD]]
// CHECK-NEXT: %[[Y:.*]] = graph.all_reduce sum %[[S]] over ["data"] : tensor<3xf32>
// CHECK-NEXT: return %[[Y]]
module attributes {weir.micro_batches = 4, weir.mesh = #weir.mesh<axes = ["data"], sizes = [8]>} {
  func.func @sum(%x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> attributes {weir.entry = "f"} {
    %0 = graph.reduce_sum %x [0] : tensor<2x3xf32>
    %y = graph.all_reduce sum %0 over ["data"] : tensor<3xf32>
    return %y : tensor<3xf32>
  }
}

// -----

// Operations on whole tensors are computed once. Gathers and parts are those of ranks,
// and so are results and the parts of constants.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, %[[W:.*]]: tensor<8x3xf32>) -> (tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, tensor<8x3xf32>)
// CHECK: graph.exp %[[W]]
// CHECK-NOT: graph.exp
// CHECK: graph.own_part %{{.*}} along 0 over ["data"] : tensor<8x3xf32> to tensor<4x3xf32>
// CHECK-DAG: graph.constant #weir.parts<axes = 1, elements = [dense<1.000000e+00> : tensor<2x3xf32>, dense<3.000000e+00> : tensor<2x3xf32>]>
// CHECK-DAG: graph.constant #weir.parts<axes = 1, elements = [dense<2.000000e+00> : tensor<2x3xf32>, dense<4.000000e+00> : tensor<2x3xf32>]>
// CHECK: %[[ALL:.*]] = graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<2x3xf32>, tensor<2x3xf32>
// CHECK: graph.all_gather %[[ALL]] along 0 over ["data"] : tensor<4x3xf32> to tensor<8x3xf32>
// CHECK: %[[OUT:.*]] = graph.concat
// CHECK: return %[[OUT]], %{{.*}} : tensor<4x3xf32>, tensor<8x3xf32>
module attributes {weir.micro_batches = 2, weir.mesh = #weir.mesh<axes = ["data"], sizes = [4]>} {
  func.func @others(%x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}, %w: tensor<8x3xf32>) -> (tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}, tensor<8x3xf32>) attributes {weir.entry = "f"} {
    %0 = graph.exp %w : tensor<8x3xf32>
    %1 = graph.own_part %0 along 0 over ["data"] : tensor<8x3xf32> to tensor<2x3xf32>
    %2 = graph.constant #weir.parts<axes = 1, elements = [dense<1.0> : tensor<2x3xf32>, dense<2.0> : tensor<2x3xf32>, dense<3.0> : tensor<2x3xf32>, dense<4.0> : tensor<2x3xf32>]>
    %3 = graph.add %x, %1 : tensor<2x3xf32>
    %4 = graph.mul %3, %2 : tensor<2x3xf32>
    %5 = graph.all_gather %4 along 0 over ["data"] : tensor<2x3xf32> to tensor<8x3xf32>
    return %4, %5 : tensor<2x3xf32>, tensor<8x3xf32>
  }
}

// -----

// expected-error@below {{micro-batches need a mesh of the axis 'data', whose ranks have equal numbers of them}}
module attributes {weir.micro_batches = 2, weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [4, 2]>} {
}

// RUN: weir-opt %s --split-input-file --weir-split-shapes | FileCheck %s

// As in the gradient of a max pooling: each update goes to the row of its image. A rank adds
// the updates of its images to its own rows, and exchanges nothing.
// CHECK-LABEL: func.func @pool(
// CHECK-NOT: graph.own_part
// CHECK-NOT: scatter %
// CHECK: %[[ZEROS:.*]] = graph.constant dense<0.000000e+00> : tensor<2x9xf32>
// CHECK: %[[ROWS:.*]] = graph.constant dense<{{\[\[}}[0], [0], [0], [0], [0]], {{\[}}[1], [1], [1], [1], [1]]]> : tensor<2x5x1xi64>
// CHECK: %[[I:.*]] = graph.concat %[[ROWS]], %arg0 axis 2 : tensor<2x5x1xi64>, tensor<2x5x1xi64>
// CHECK: %[[S:.*]] = graph.scatter add %[[ZEROS]], %[[I]], %arg1 : tensor<2x9xf32>
// CHECK: graph.neg %[[S]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @pool(%p: tensor<4x5x1xi64> {weir.shards = array<i64: 1, 0, 0>}, %g: tensor<4x5xf32> {weir.shards = array<i64: 1, 0>}, %x: tensor<4x9xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<4x9xf32> attributes {weir.entry = "f"} {
    %zeros = graph.constant dense<0.0> : tensor<4x9xf32>
    %rows = graph.iota axis 0 : tensor<4x5x1xi64>
    %i = graph.concat %rows, %p axis 2 : tensor<4x5x1xi64>, tensor<4x5x1xi64>
    %s = graph.scatter add %zeros, %i, %g : tensor<4x9xf32>, tensor<4x5x2xi64>, tensor<4x5xf32>
    %n = graph.neg %s : tensor<4x9xf32>
    %y = graph.add %x, %n : tensor<4x9xf32>
    return %y : tensor<4x9xf32>
  }
}

// -----

// The first index is a value of the run, so updates may go to rows of other ranks.
// CHECK-LABEL: func.func @any_row(
// CHECK: graph.scatter add %{{.*}} : tensor<4x9xf32>
// CHECK: graph.reduce_scatter
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @any_row(%i: tensor<4x5x2xi64> {weir.shards = array<i64: 1, 0, 0>}, %g: tensor<4x5xf32> {weir.shards = array<i64: 1, 0>}, %x: tensor<4x9xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<4x9xf32> attributes {weir.entry = "f"} {
    %zeros = graph.constant dense<0.0> : tensor<4x9xf32>
    %s = graph.scatter add %zeros, %i, %g : tensor<4x9xf32>, tensor<4x5x2xi64>, tensor<4x5xf32>
    %y = graph.add %x, %s : tensor<4x9xf32>
    return %y : tensor<4x9xf32>
  }
}

// -----

// Ranks have the numbers of their rows as a constant.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: graph.reduce_scatter
// CHECK: %[[S:.*]] = graph.scatter add %{{.*}} : tensor<1x3xf32>, tensor<1x2x2xi64>, tensor<1x2xf32>
// CHECK-NOT: graph.reduce_scatter
// CHECK: return
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @constants(%p: tensor<2x2x1xi64> {weir.shards = array<i64: 1, 0, 0>}, %g: tensor<2x2xf32> {weir.shards = array<i64: 1, 0>}, %x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<2x3xf32> attributes {weir.entry = "f"} {
    %zeros = graph.constant dense<0.0> : tensor<2x3xf32>
    %rows = graph.constant dense<[[[0], [0]], [[1], [1]]]> : tensor<2x2x1xi64>
    %i = graph.concat %rows, %p axis 2 : tensor<2x2x1xi64>, tensor<2x2x1xi64>
    %s = graph.scatter add %zeros, %i, %g : tensor<2x3xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>
    %y = graph.add %x, %s : tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

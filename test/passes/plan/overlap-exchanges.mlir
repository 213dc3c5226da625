// RUN: weir-opt %s --split-input-file --weir-overlap-exchanges | FileCheck %s

// The description's example: a task that needs the sum comes after one that does not.
// CHECK-LABEL: func.func @example(
// CHECK: %[[A:.*]] = graph.all_reduce sum %arg0
// CHECK-NEXT: %[[C:.*]] = plan.task @k(%arg1)
// CHECK-NEXT: %[[B:.*]] = plan.task @k(%[[A]])
// CHECK-NEXT: return %[[B]], %[[C]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @example(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %b, %c : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// -----

// The bucket begins behind its last part. Updates come in the order of the buckets that they
// need, here against the order of the variables.
// CHECK-LABEL: func.func @step(
// CHECK: %[[P:.*]] = plan.task @k(%arg0)
// CHECK-NEXT: %[[Q:.*]] = plan.task @k(%[[P]])
// CHECK-NEXT: %[[C:.*]] = graph.concat %[[P]], %[[Q]]
// CHECK-NEXT: %[[S:.*]] = graph.all_reduce sum %[[C]]
// CHECK-NEXT: %[[R:.*]] = plan.task @k(%[[Q]])
// CHECK-NEXT: %[[T:.*]] = graph.all_reduce sum %[[R]]
// CHECK-NEXT: %[[G:.*]] = graph.slice %[[S]]
// CHECK-NEXT: graph.write_variable @w, %[[G]]
// CHECK-NEXT: %[[N:.*]] = plan.task @k(%[[T]])
// CHECK-NEXT: graph.write_variable @v, %[[N]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  graph.variable @v : tensor<4xf32>
  graph.variable @w : tensor<4xf32>
  func.func @step(%x: tensor<4xf32>) attributes {weir.entry = "f"} {
    %p = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = plan.task @k(%p) : (tensor<4xf32>) -> tensor<4xf32>
    %r = plan.task @k(%q) : (tensor<4xf32>) -> tensor<4xf32>
    %t = graph.all_reduce sum %r over ["data"] : tensor<4xf32>
    %n = plan.task @k(%t) : (tensor<4xf32>) -> tensor<4xf32>
    graph.write_variable @v, %n : tensor<4xf32>
    %c = graph.concat %p, %q axis 0 : tensor<4xf32>, tensor<4xf32>
    %s = graph.all_reduce sum %c over ["data"] : tensor<8xf32>
    %g = graph.slice %s [0] to [4] by [1] : tensor<8xf32>
    graph.write_variable @w, %g : tensor<4xf32>
    return
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// -----

// No assignment comes before a check that was before it, and no read before an assignment.
// CHECK-LABEL: func.func @effects(
// CHECK: graph.all_reduce
// CHECK: graph.check
// CHECK: graph.write_variable @v
// CHECK: graph.read_variable @v
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  graph.variable @v : tensor<4xf32>
  func.func @effects(%x: tensor<i1>, %y: tensor<f32>, %z: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
    %s = graph.all_reduce sum %y over ["data"] : tensor<f32>
    %p = plan.task @test(%s) : (tensor<f32>) -> tensor<i1>
    graph.check %p, "is finite" : tensor<i1>
    graph.write_variable @v, %z : tensor<4xf32>
    %r = graph.read_variable @v : tensor<4xf32>
    %a = plan.task @k(%r) : (tensor<4xf32>) -> tensor<4xf32>
    return %a : tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
  func.func private @test(%x: memref<f32>, %y: memref<i1>) attributes {weir.kernel}
}

// -----

// The tasks of a group stay together.
// CHECK-LABEL: func.func @groups(
// CHECK: graph.all_reduce
// CHECK-NEXT: plan.task @k(%arg0) :
// CHECK-NEXT: plan.task @k(%arg1) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.task @k(%{{.*}}) {row_wise, task_group = 0 : i64}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @groups(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %s = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    %a = plan.task @k(%y) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%s) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// -----

// Memory goes before speed: nothing moves.
// CHECK-LABEL: func.func @remat(
// CHECK: %[[A:.*]] = graph.all_reduce
// CHECK-NEXT: plan.task @k(%[[A]])
module attributes {weir.remat = 1024 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @remat(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %b, %c : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

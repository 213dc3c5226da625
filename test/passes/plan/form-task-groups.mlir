// RUN: weir-opt %s --split-input-file --weir-form-task-groups | FileCheck %s

// The tasks of two chains form groups, and a task that needs both chains comes after
// them.
// CHECK-LABEL: func.func @chains
// CHECK: %[[A:.*]] = plan.task @k(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = plan.task @k(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = plan.task @k(%[[A]]) {task_group = 1 : i64}
// CHECK-NEXT: %[[D:.*]] = plan.task @k(%[[B]]) {task_group = 1 : i64}
// CHECK-NEXT: %[[E:.*]] = plan.task @sum(%[[C]], %[[D]]) : (
// CHECK-NEXT: return %[[E]]
module attributes {weir.slots = 2 : i64} {
  func.func @chains(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %d = plan.task @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %e = plan.task @sum(%c, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %e : tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
  func.func private @sum(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
}

// -----

// A view of a result is no task, so its users need no group of their own.
// CHECK-LABEL: func.func @views
// CHECK: %[[A:.*]] = plan.task @k(%{{.*}}) : (
// CHECK-NEXT: %[[V:.*]] = graph.reshape %[[A]]
// CHECK-NEXT: plan.task @flat(%[[V]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @k(%[[A]]) {task_group = 0 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func @views(%x: tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4x1xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @k(%x) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %v = graph.reshape %a : tensor<4x1xf32> to tensor<4xf32>
    %b = plan.task @flat(%v) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%a) : (tensor<4x1xf32>) -> tensor<4x1xf32>
    return %b, %c : tensor<4xf32>, tensor<4x1xf32>
  }
  func.func private @k(%x: memref<4x1xf32>, %y: memref<4x1xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
  func.func private @flat(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
}

// -----

// No task moves across a task with unknown work. A task with much work joins no group.
// CHECK-LABEL: func.func @heavy
// CHECK: plan.task @small(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @small(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @large(%{{.*}}) : (
// CHECK-NEXT: plan.task @unknown(%{{.*}}) : (
// CHECK-NEXT: plan.task @small(%{{.*}}) : (
module attributes {weir.slots = 2 : i64} {
  func.func @heavy(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @small(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @large(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @small(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %d = plan.task @unknown(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %e = plan.task @small(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @small(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64}
  func.func private @unknown(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// -----

// A group needs more work than a parallel region costs.
// CHECK-LABEL: func.func @tiny
// CHECK-NOT: task_group
// CHECK: plan.task
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64} {
  func.func @tiny(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @large(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 30000 : i64}
}

// -----

// A task that prepares the steps of the second chain moves before the first chain. So
// the steps of both chains form groups.
// CHECK-LABEL: func.func @directions
// CHECK: %[[A:.*]] = plan.task @all(%arg0) : (
// CHECK: %[[B:.*]] = plan.task @all(%arg1) : (
// CHECK: %[[H:.*]] = plan.task @step(%{{.*}}, %{{.*}}) {task_group = 0 : i64}
// CHECK: %[[I:.*]] = plan.task @step(%{{.*}}, %{{.*}}) {task_group = 0 : i64}
// CHECK: plan.task @step(%[[H]], %{{.*}}) {task_group = 1 : i64}
// CHECK: plan.task @step(%[[I]], %{{.*}}) {task_group = 1 : i64}
// CHECK: plan.task @step(%{{.*}}) {task_group = 3 : i64}
// CHECK: plan.task @step(%{{.*}}) {task_group = 3 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func @directions(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %h: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @all(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %a0 = graph.slice %a [0, 0] to [1, 8] by [1, 1] : tensor<4x8xf32>
    %h0 = plan.task @step(%h, %a0) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %a1 = graph.slice %a [1, 0] to [2, 8] by [1, 1] : tensor<4x8xf32>
    %h1 = plan.task @step(%h0, %a1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %a2 = graph.slice %a [2, 0] to [3, 8] by [1, 1] : tensor<4x8xf32>
    %h2 = plan.task @step(%h1, %a2) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %a3 = graph.slice %a [3, 0] to [4, 8] by [1, 1] : tensor<4x8xf32>
    %h3 = plan.task @step(%h2, %a3) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %b = plan.task @all(%y) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %b3 = graph.slice %b [3, 0] to [4, 8] by [1, 1] : tensor<4x8xf32>
    %i3 = plan.task @step(%h, %b3) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %b2 = graph.slice %b [2, 0] to [3, 8] by [1, 1] : tensor<4x8xf32>
    %i2 = plan.task @step(%i3, %b2) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %b1 = graph.slice %b [1, 0] to [2, 8] by [1, 1] : tensor<4x8xf32>
    %i1 = plan.task @step(%i2, %b1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %b0 = graph.slice %b [0, 0] to [1, 8] by [1, 1] : tensor<4x8xf32>
    %i0 = plan.task @step(%i1, %b0) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    return %h3, %i0 : tensor<1x8xf32>, tensor<1x8xf32>
  }
  func.func private @all(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {weir.kernel, weir.nanoseconds = 100000 : i64}
  func.func private @step(%h: memref<1x8xf32>, %x: memref<1x8xf32>, %y: memref<1x8xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
}

// -----

// A group has no benefit for one thread.
// CHECK-LABEL: func.func @single
// CHECK-NOT: task_group
// CHECK: plan.task
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 1 : i64} {
  func.func @single(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 100 : i64}
}

// -----

// Tasks of a row-wise group stay in it, and no task moves across them. New groups get
// the next numbers.
// CHECK-LABEL: func.func @by_rows
// CHECK: plan.task @k(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.task @k(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.task @k(%{{.*}}) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @k(%{{.*}}) {task_group = 1 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func @by_rows(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @k(%x) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %d = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
}

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

// -----

// Long tasks that one thread computes run side by side, and the tasks that use their
// results as well. A long task with work items stays alone.
// CHECK-LABEL: func.func @towers
// CHECK: %[[A:.*]] = plan.task @search(%arg0) {task_group = 0 : i64}
// CHECK-NEXT: %[[B:.*]] = plan.task @search(%arg1) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @search(%[[A]]) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @search(%[[B]]) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @large(%{{.*}}) : (
module attributes {weir.slots = 2 : i64} {
  func.func @towers(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @search(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %d = plan.task @search(%c) : (tensor<4xf32>) -> tensor<4xf32>
    %e = plan.task @large(%d) : (tensor<4xf32>) -> tensor<4xf32>
    return %b, %e : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 900000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64}
}

// -----

// Tasks that depend on each other share no region.
// CHECK-LABEL: func.func @dependent
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64} {
  func.func @dependent(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @large(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %c : tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 900000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64}
}

// -----

// A task with work items keeps the idle thread busy. It stays alone if that thread could do
// only a small part of it. It also does with many chunks of fixed costs, or with scratch
// memory for fewer threads.
// CHECK-LABEL: func.func @fill
// CHECK: plan.task @large(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @search(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @huge(%{{.*}}) : (
// CHECK-NEXT: plan.task @coarse(%{{.*}}) : (
// CHECK-NEXT: plan.task @narrow(%{{.*}}) : (
// CHECK-NEXT: return
module attributes {weir.slots = 2 : i64} {
  func.func @fill(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %h = plan.task @huge(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @coarse(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %n = plan.task @narrow(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = plan.task @large(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %h, %c, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64}
  func.func private @huge(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 9000000 : i64}
  func.func private @coarse(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64} {
    kernel.parallel 9 coarse {
    ^bb0(%first: index, %last: index, %slot: index):
    }
    return
  }
  func.func private @narrow(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64} {
    kernel.parallel 4 slots 1 {
    ^bb0(%first: index, %last: index, %slot: index):
    }
    return
  }
}

// -----

// A search waits for the operand of another one, so that both run side by side.
// CHECK-LABEL: func.func @prepared
// CHECK: %[[P:.*]] = plan.task @large(%arg0) : (
// CHECK-NEXT: plan.task @search(%arg0) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @search(%[[P]]) {task_group = 0 : i64}
// CHECK-NEXT: return
module attributes {weir.slots = 2 : i64} {
  func.func @prepared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %p = plan.task @large(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%p) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64}
  func.func private @large(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64}
}

// -----

// Of three equal searches, the third would only use more memory beside the others. Short
// ones follow each other beside a long one.
// CHECK-LABEL: func.func @three
// CHECK: plan.task @search(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @search(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @search(%{{.*}}) : (
// CHECK-LABEL: func.func @unequal
// CHECK: plan.task @search(%{{.*}}) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @short(%{{.*}}) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @short(%{{.*}}) {task_group = 1 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func @three(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "three"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @unequal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "unequal"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @short(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @short(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64}
  func.func private @short(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 500000 : i64, weir.sequential_nanoseconds = 500000 : i64}
}

// -----

// A task of which one thread computes only a little, or one that takes little time, is
// no long task of one thread.
// CHECK-LABEL: func.func @short
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64} {
  func.func @short(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @partly(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @partly(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @quick(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %d = plan.task @quick(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @partly(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 100000 : i64}
  func.func private @quick(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 900 : i64, weir.sequential_nanoseconds = 900 : i64}
}

// -----

// Side by side the searches would need 120 MB more than one after the other.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64} {
  func.func @wide(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>, %s: memref<120000000xi8>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64, weir.scratch_bytes = 120000000 : i64}
}

// -----

// With --remat the arena may not grow at all.
// CHECK-LABEL: func.func @small_arena
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64, weir.remat = 1000 : i64} {
  func.func @small_arena(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>, %s: memref<120xi8>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64, weir.scratch_bytes = 120 : i64}
}

// -----

// Tasks move across checks, and these keep their order.
// CHECK-LABEL: func.func @checks
// CHECK: %[[P:.*]] = plan.task @test(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: %[[Q:.*]] = plan.task @test(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: graph.check %[[P]], "first"
// CHECK-NEXT: graph.check %[[Q]], "second"
// CHECK-NEXT: plan.task @search(%{{.*}}) {task_group = 1 : i64}
// CHECK-NEXT: plan.task @search(%{{.*}}) {task_group = 1 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func @checks(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %p = plan.task @test(%x) : (tensor<4xf32>) -> tensor<i1>
    graph.check %p, "first" : tensor<i1>
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = plan.task @test(%y) : (tensor<4xf32>) -> tensor<i1>
    graph.check %q, "second" : tensor<i1>
    %b = plan.task @search(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @test(%x: memref<4xf32>, %y: memref<i1>) attributes {weir.kernel, weir.nanoseconds = 20000 : i64}
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64}
}

// -----

// In a module with variables, no task moves across a check: after a failure, variables
// have their old values.
// CHECK-LABEL: func.func @checks_before_variables
// CHECK-NOT: task_group
// CHECK: return
module attributes {weir.slots = 2 : i64} {
  graph.variable @v : tensor<4xf32>
  func.func @checks_before_variables(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @search(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.check %p, "first" : tensor<i1>
    %b = plan.task @search(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @search(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 1000000 : i64, weir.sequential_nanoseconds = 1000000 : i64}
}

// -----

// Ranks wait for the sum where it is needed first. So the update of the first sum does not
// share a region with a task before it.
// CHECK-LABEL: func.func @waits(
// CHECK: graph.all_reduce
// CHECK-NEXT: plan.task @k(%arg0) :
// CHECK-NEXT: plan.task @k(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.task @k(%{{.*}}) {task_group = 0 : i64}
module attributes {weir.slots = 4 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @waits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %s = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 2000 : i64}
}

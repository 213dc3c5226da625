// RUN: weir-opt %s --split-input-file --weir-join-loops | FileCheck %s

// Loops with the same count and without dependences between them become one. The
// operands of the later loop are computed before.
// CHECK-LABEL: func.func @directions
// CHECK: %[[ALL:.*]] = plan.task @all(%arg1)
// CHECK-NEXT: %[[R:.*]]:3 = graph.while(%arg0, %arg1, %[[ALL]])
// CHECK: plan.task @ends(%{{.*}})
// CHECK: ^bb0(%[[I:.*]]: tensor<i64>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[C:.*]] = plan.task @step(%[[A]], %[[I]])
// CHECK-NEXT: %[[J:.*]] = plan.task @next(%[[I]])
// CHECK-NEXT: %[[D:.*]] = plan.task @step(%[[B]], %[[J]])
// CHECK-NEXT: graph.yield %[[J]], %[[C]], %[[D]]
// CHECK: return %[[R]]#1, %[[R]]#2
module attributes {weir.slots = 2 : i64} {
  func.func @directions(%zero: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a:2 = graph.while(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %g = plan.task @step(%h, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    %y = plan.task @all(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b:2 = graph.while(%zero, %y) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      %g = plan.task @step(%h, %j) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    return %a#1, %b#1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @ends(%i: memref<i64>, %p: memref<i1>) attributes {weir.kernel, weir.nanoseconds = 0 : i64}
  func.func private @next(%i: memref<i64>, %j: memref<i64>) attributes {weir.kernel, weir.nanoseconds = 0 : i64}
  func.func private @all(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 100000 : i64}
  func.func private @step(%h: memref<4xf32>, %i: memref<i64>, %g: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 3000 : i64}
}

// -----

// Loops stay apart if one needs the other, if their counts differ, or if their tasks
// are large.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: :2 = graph.while
module attributes {weir.slots = 2 : i64} {
  func.func @apart(%zero: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
    %a:2 = graph.while(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      %g = plan.task @step(%h, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    %b:2 = graph.while(%zero, %a#1) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      %g = plan.task @step(%h, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    %c:2 = graph.while(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends_later(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      %g = plan.task @step(%h, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    %d:2 = graph.while(%zero, %x) : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %p = plan.task @ends(%i) : (tensor<i64>) -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
      %j = plan.task @next(%i) : (tensor<i64>) -> tensor<i64>
      %g = plan.task @large(%h, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
      graph.yield %j, %g : tensor<i64>, tensor<4xf32>
    }
    return %b#1, %c#1, %d#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @ends(%i: memref<i64>, %p: memref<i1>) attributes {weir.kernel, weir.nanoseconds = 0 : i64}
  func.func private @ends_later(%i: memref<i64>, %p: memref<i1>) attributes {weir.kernel, weir.nanoseconds = 0 : i64}
  func.func private @next(%i: memref<i64>, %j: memref<i64>) attributes {weir.kernel, weir.nanoseconds = 0 : i64}
  func.func private @step(%h: memref<4xf32>, %i: memref<i64>, %g: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 3000 : i64}
  func.func private @large(%h: memref<4xf32>, %i: memref<i64>, %g: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 100000 : i64}
}

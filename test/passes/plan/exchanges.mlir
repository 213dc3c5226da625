// RUN: weir-opt %s --split-input-file --weir-plan-arena | FileCheck %s

// A bucket needs no copy: tasks write its parts. Between its start and its wait kernels run,
// and after much work ranks poll. Its bytes stay live, and those that ranks receive too.
// CHECK: weir.collectives = [#weir.collective<axes = 1, type = tensor<8xf32>
// CHECK-SAME: weir.schedule = [
// CHECK-SAME: #weir.schedule_item<tasks = 2, nanoseconds = 60000, bytes = 64>,
// CHECK-SAME: #weir.schedule_item<kind = "start">,
// CHECK-SAME: #weir.schedule_item<tasks = 1, nanoseconds = 30000, bytes = 32>,
// CHECK-SAME: #weir.schedule_item<kind = "progress">,
// CHECK-SAME: #weir.schedule_item<tasks = 1, nanoseconds = 30000, bytes = 32>,
// CHECK-SAME: #weir.schedule_item<kind = "wait">,
// CHECK-SAME: #weir.schedule_item<tasks = 1, nanoseconds = 30000, bytes = 32>
// CHECK-LABEL: plan.program @weir_entry_0
// CHECK-DAG: %[[B:.*]] = plan.buffer {{[0-9]+}} live[0, 6] : memref<8xf32>
// CHECK-DAG: %[[S:.*]] = plan.buffer {{[0-9]+}} live[2, 5] : memref<32xi8>
// CHECK-DAG: %[[LOW:.*]] = plan.view %[[B]] : memref<8xf32> to memref<4xf32>
// CHECK-DAG: %[[HIGH:.*]] = plan.view %[[B]] {offset = 16 : i64}
// CHECK: plan.run @k(%{{.*}}, %[[LOW]])
// CHECK-NEXT: plan.run @k(%{{.*}}, %[[HIGH]])
// CHECK-NEXT: plan.start 0(%[[B]], %[[S]]) : memref<8xf32>, memref<32xi8>
// CHECK-NEXT: plan.run @k
// CHECK-NEXT: plan.progress
// CHECK-NEXT: plan.run @k
// CHECK-NEXT: plan.wait 0
// CHECK-NEXT: plan.run @k(%{{.*}}, %{{.*}})
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @bucket(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %p = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %c = graph.concat %p, %q axis 0 : tensor<4xf32>, tensor<4xf32>
    %s = graph.all_reduce sum %c over ["data"] : tensor<8xf32>
    %d = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %e = plan.task @k(%d) : (tensor<4xf32>) -> tensor<4xf32>
    %g = graph.slice %s [4] to [8] by [1] : tensor<8xf32>
    %h = plan.task @k(%g) : (tensor<4xf32>) -> tensor<4xf32>
    return %e, %h : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.nanoseconds = 30000 : i64}
}

// -----

// Where the next task needs the sum, ranks wait at once. In a loop they always do.
// CHECK-LABEL: plan.program @weir_entry_0
// CHECK: plan.run @k
// CHECK-NEXT: plan.exchange 0
// CHECK-NEXT: plan.run @k
// CHECK: plan.while
// CHECK: } do {
// CHECK: plan.exchange 1
// CHECK-NOT: plan.start
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @at_once(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
    %p = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %s = graph.all_reduce sum %p over ["data"] : tensor<4xf32>
    %q = plan.task @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
    %r = graph.while(%q) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %more = plan.task @test(%a) : (tensor<4xf32>) -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%a: tensor<4xf32>):
      %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
      %t = graph.all_reduce sum %b over ["data"] : tensor<4xf32>
      %c = plan.task @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
      %d = plan.task @add(%t, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      graph.yield %d : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
  func.func private @add(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel}
  func.func private @test(%x: memref<4xf32>, %y: memref<i1>) attributes {weir.kernel}
}

// -----

// An op reads a part of the bucket itself, not the sum. So the part has a buffer of its own.
// CHECK-LABEL: plan.program @weir_entry_0
// CHECK-DAG: %[[B:.*]] = plan.buffer {{.*}} : memref<8xf32>
// CHECK-DAG: %[[P:.*]] = plan.buffer {{.*}} : memref<4xf32>
// CHECK: plan.run @k(%{{.*}}, %[[P]])
// CHECK: plan.copy %[[P]] to
// CHECK-NEXT: plan.start 0(%[[B]],
// CHECK-NEXT: plan.run @k(%[[P]],
// CHECK-NEXT: plan.wait 0
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @read_twice(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>) attributes {weir.entry = "f"} {
    %p = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %c = graph.concat %p, %q axis 0 : tensor<4xf32>, tensor<4xf32>
    %s = graph.all_reduce sum %c over ["data"] : tensor<8xf32>
    %d = plan.task @k(%p) : (tensor<4xf32>) -> tensor<4xf32>
    return %d, %s : tensor<4xf32>, tensor<8xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// -----

// Two are in the air. Results are copied in the order in which they began, and ranks poll
// for both.
// CHECK-LABEL: plan.program @weir_entry_0
// CHECK-DAG: %[[FIRST:.*]] = plan.argument 2
// CHECK-DAG: %[[SECOND:.*]] = plan.argument 1
// CHECK: plan.start 0(
// CHECK-NEXT: plan.run @k
// CHECK-NEXT: plan.start 1(
// CHECK-NEXT: plan.progress
// CHECK-NEXT: plan.run @k
// CHECK-NEXT: plan.wait 0
// CHECK-NEXT: plan.copy %{{.*}} to %[[FIRST]]
// CHECK-NEXT: plan.wait 1
// CHECK-NEXT: plan.copy %{{.*}} to %[[SECOND]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %p = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %s = graph.all_reduce sum %p over ["data"] : tensor<4xf32>
    %q = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %t = graph.all_reduce sum %q over ["data"] : tensor<4xf32>
    %r = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %t, %s, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
}

// RUN: weir-opt %s --split-input-file --weir-split-roles --weir-check-transfers | FileCheck %s

// A value that a task uses twice crosses once. Constants are copied.
// CHECK: module @"worker-0" attributes {weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [2], role = "worker-0">, weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [2]>}
// CHECK: func.func @f
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {weir.name = "x"}) attributes {weir.entry = "f"}
// CHECK: %[[A:.*]] = graph.add %[[X]]
// CHECK-NEXT: graph.send %[[A]] to "worker-1" key 0 : tensor<4xf32>
// CHECK-NOT: graph.send
// CHECK: return{{$}}
// CHECK: module @"worker-1"
// CHECK: func.func @f
// CHECK-SAME: () -> (tensor<4xf32> {weir.name = "y"})
// CHECK-NEXT: %[[R:.*]] = graph.recv from "worker-0" key 0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = graph.mul %[[R]], %[[R]]
// CHECK-NEXT: %[[C:.*]] = graph.constant
// CHECK-NEXT: %[[D:.*]] = graph.add %[[B]], %[[C]]
// CHECK-NEXT: return %[[D]]
module attributes {
    weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [2]>,
    weir.devices = {a = "/job:worker/task:0", b = "/job:worker/task:1"}} {
  func.func @f(%x: tensor<4xf32> {weir.name = "x"}) -> (tensor<4xf32> {weir.name = "y"}) attributes {weir.entry = "f"} {
    %c = graph.constant dense<1.0> : tensor<4xf32> loc("c")
    %a = graph.add %x, %c : tensor<4xf32> loc("a")
    %b = graph.mul %a, %a : tensor<4xf32> loc("b")
    %y = graph.add %b, %c : tensor<4xf32> loc("b")
    return %y : tensor<4xf32>
  }
}

// -----

// Two receivers get a pair each. A node without a device is where all its users
// are, or else where its operand is.
// CHECK: module @"ps-0"
// CHECK: graph.read_variable @w
// CHECK-NEXT: graph.send %{{.*}} to "worker-0" key 0
// CHECK-NEXT: graph.send %{{.*}} to "worker-1" key 1
// CHECK-NOT: graph.neg
// CHECK: module @"worker-0"
// CHECK: graph.recv from "ps-0" key 0
// CHECK-NEXT: graph.neg
// CHECK-NEXT: graph.exp
// CHECK: module @"worker-1"
// CHECK: graph.recv from "ps-0" key 1
module attributes {
    weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 2]>,
    weir.devices = {w = "/job:ps/task:0", a = "/job:worker/task:0", b = "/job:worker/task:1"}} {
  graph.variable @w : tensor<4xf32> loc("w")
  func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %w = graph.read_variable @w : tensor<4xf32>
    %n = graph.neg %w : tensor<4xf32>
    %a = graph.exp %n : tensor<4xf32> loc("a")
    %p = graph.mul %w, %x : tensor<4xf32> loc("b")
    return %a, %p : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Replicas send their parts to the task that has the variable, which adds them in
// their order. Ops that all replicas would compute alike move there.
// CHECK: module @"ps-0"
// CHECK: graph.variable @w
// CHECK: func.func @f
// CHECK-SAME: () attributes
// CHECK: %[[W:.*]] = graph.read_variable @w
// CHECK: graph.send %[[W]] to "worker" key [[KW:[0-9]+]] : tensor<3xf32>
// CHECK: %[[ALL:.*]] = graph.recv from "worker" key [[G:[0-9]+]] each : tensor<2x3xf32>
// CHECK: %[[S0:.*]] = graph.slice %[[ALL]] [0, 0] to [1, 3]
// CHECK: %[[P0:.*]] = graph.reshape %[[S0]]
// CHECK: %[[S1:.*]] = graph.slice %[[ALL]] [1, 0] to [2, 3]
// CHECK: %[[P1:.*]] = graph.reshape %[[S1]]
// CHECK: %[[SUM:.*]] = graph.add %[[P0]], %[[P1]]
// CHECK: %[[NEW:.*]] = graph.sub %[[W]], %[[SUM]]
// CHECK: graph.agree key [[AGREE:[0-9]+]]
// CHECK: graph.write_variable @w, %[[NEW]]
// CHECK: module @worker
// CHECK-SAME: replicas = "worker", role = "worker"
// CHECK: func.func @f
// CHECK-SAME: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}
// CHECK: graph.recv from "ps-0" key [[KW]] : tensor<3xf32>
// CHECK: graph.check
// CHECK: %[[PART:.*]] = graph.reduce_sum
// CHECK: graph.send %[[PART]] to "ps-0" key [[G]] each : tensor<3xf32>
// CHECK: graph.agree key [[AGREE]]
// CHECK-NOT: graph.sub
module attributes {
    weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>,
    weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 2], replicas = "worker">,
    weir.devices = {w = "/job:ps/task:0", g = "/job:worker", u = "/job:worker"}} {
  graph.variable @w : tensor<3xf32> loc("w")
  func.func @f(%x: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) attributes {weir.entry = "f"} {
    %w = graph.read_variable @w : tensor<3xf32>
    %b = graph.broadcast %w [1] : tensor<3xf32> to tensor<2x3xf32> loc("g")
    %p = graph.mul %x, %b : tensor<2x3xf32> loc("g")
    %q = graph.equal %p, %p : tensor<2x3xf32> loc("g")
    %all = graph.reduce_and %q [0, 1] : tensor<2x3xi1> loc("g")
    graph.check %all, "a NaN" : tensor<i1> loc("g")
    %part = graph.reduce_sum %p [0] : tensor<2x3xf32> loc("g")
    %g = graph.all_reduce sum %part over ["data"] : tensor<3xf32> loc("g")
    %new = graph.sub %w, %g : tensor<3xf32> loc("u")
    graph.write_variable @w, %new : tensor<3xf32>
    return
  }
}

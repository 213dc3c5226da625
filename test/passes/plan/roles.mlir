// RUN: weir-opt %s --weir-plan-arena | FileCheck %s

// A role sends a variable by a copy in the arena. It receives the tensors of all
// replicas one behind the other. Because the roles agree on failed checks after the
// kernel has run, the kernel does not write to the variable.
// CHECK: weir.collectives = [#weir.collective<kind = "send", type = tensor<4xf32>, node = "w", key = 0, peer = 1, peers = 2>,
// CHECK-SAME: #weir.collective<kind = "recv", type = tensor<4xf32>, node = "g", key = 1, peer = 1, peers = 2>,
// CHECK-SAME: #weir.collective<combine = "max", axes = 1, type = tensor<1xi64>, {{.*}}node = "checks", key = 2>]
// CHECK: plan.program
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK: plan.copy %[[W]] to %[[COPY:[0-9]+]] : memref<4xf32>
// CHECK: plan.exchange 0(%[[COPY]], %[[COPY]])
// CHECK: plan.exchange 1(%[[ALL:[0-9]+]], %[[ALL]]) : memref<2x4xf32>, memref<2x4xf32>
// CHECK: plan.run @k(%[[W]], %[[ALL]], %[[NEW:[0-9]+]])
// CHECK: plan.exchange 2(%{{.*}}, %{{.*}}) agrees
// CHECK: plan.copy %[[NEW]] to %[[W]]
module attributes {
    weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 2], replicas = "worker", role = "ps-0">,
    weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [3]>} {
  graph.variable @w : tensor<4xf32>
  func.func @f() attributes {weir.entry = "f"} {
    %w = graph.read_variable @w : tensor<4xf32>
    graph.send %w to "worker" key 0 : tensor<4xf32> loc("w")
    %g = graph.recv from "worker" key 1 each : tensor<2x4xf32> loc("g")
    %v = plan.task @k(%w, %g) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
    graph.agree key 2
    graph.write_variable @w, %v : tensor<4xf32>
    return
  }
  func.func private @k(%w: memref<4xf32> {llvm.noalias}, %g: memref<2x4xf32> {llvm.noalias}, %v: memref<4xf32> {llvm.noalias}) attributes {weir.kernel, weir.in_place = array<i64: 0>}
}

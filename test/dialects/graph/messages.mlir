// Roles of a cluster exchange messages by these ops. The test has the examples of the
// descriptions and a round trip.
// RUN: weir-opt %s --split-input-file | weir-opt --split-input-file | FileCheck %s

// CHECK: weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "worker", fingerprint = 5>
module attributes {weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "worker", fingerprint = 5>} {
  func.func @worker(%g: tensor<4xf32>) {
    // CHECK: graph.send %{{.*}} to "ps-0" key 1 each : tensor<4xf32>
    graph.send %g to "ps-0" key 1 each : tensor<4xf32>
    // CHECK-NEXT: graph.agree key 2
    graph.agree key 2
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "ps-0">} {
  func.func @server() {
    // CHECK: graph.recv from "worker" key 1 each : tensor<3x4xf32>
    %g = graph.recv from "worker" key 1 each : tensor<3x4xf32>
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [3], role = "worker-2">} {
  func.func @tasks() {
    // CHECK: graph.recv from "worker-0" key 0 : tensor<4xf32>
    %x = graph.recv from "worker-0" key 0 : tensor<4xf32>
    // CHECK-NEXT: graph.send %{{.*}} to "worker-1" key 0 : tensor<4xf32>
    graph.send %x to "worker-1" key 0 : tensor<4xf32>
    return
  }
}

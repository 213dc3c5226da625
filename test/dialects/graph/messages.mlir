// Roles of a cluster exchange messages by these ops. The test has the examples of the
// descriptions and a round trip.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK: weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "worker", fingerprint = 5>
module attributes {weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "worker", fingerprint = 5>} {
  func.func @worker(%g: tensor<4xf32>) {
    // CHECK: graph.send %{{.*}} to "ps-0" key 1 each : tensor<4xf32>
    graph.send %g to "ps-0" key 1 each : tensor<4xf32>
    // CHECK-NEXT: graph.agree key 2
    graph.agree key 2
    // CHECK-NEXT: graph.recv from "ps-0" key 0 : tensor<4xf32>
    %x = graph.recv from "ps-0" key 0 : tensor<4xf32>
    return
  }
}

// Each constraint of messages between roles.
// RUN: weir-opt %s --split-input-file --verify-diagnostics

func.func @no_cluster() {
  // expected-error@below {{is in a module that is for no role of a cluster}}
  graph.agree key 0
  return
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2]>} {
  func.func @all_roles(%x: tensor<4xf32>) {
    // expected-error@below {{is in a module that is for no role of a cluster}}
    graph.send %x to "ps-1" key 0 : tensor<4xf32>
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
  func.func @unknown(%x: tensor<4xf32>) {
    // expected-error@below {{names 'ps-2', which is no other role of the cluster}}
    graph.send %x to "ps-2" key 0 : tensor<4xf32>
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
  func.func @itself() {
    // expected-error@below {{names 'ps-0', which is no other role of the cluster}}
    %x = graph.recv from "ps-0" key 0 : tensor<4xf32>
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
  func.func @one(%x: tensor<4xf32>) {
    // expected-error@below {{has 'each' in a role of one task}}
    graph.send %x to "ps-1" key 0 each : tensor<4xf32>
    return
  }
}

// -----

module attributes {weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 3], replicas = "worker", role = "ps-0">} {
  func.func @count() {
    // expected-error@below {{receives 'tensor<2x4xf32>' from each of 3 tasks}}
    %x = graph.recv from "worker" key 0 each : tensor<2x4xf32>
    return
  }
}

// -----

// expected-error@below {{a cluster has jobs and a size for each, not 2 and 1}}
module attributes {weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1]>} {}

// -----

// expected-error@below {{size must be from 1 to 65536, not 0}}
module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [0]>} {}

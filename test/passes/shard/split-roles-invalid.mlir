// RUN: weir-opt %s --split-input-file --weir-split-roles --verify-diagnostics

module attributes {
    weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2]>,
    weir.devices = {v = "/job:ps/task:0", w = "/job:ps/task:1"}} {
  graph.variable @v : tensor<4xf32> loc("v")
  graph.variable @w : tensor<4xf32> loc("w")
  func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) attributes {weir.entry = "f"} {
    // expected-error@below {{uses variables of several tasks in a branch or a loop, which weir partition does not divide}}
    graph.if %p : tensor<i1> {
      graph.write_variable @v, %x : tensor<4xf32>
      graph.write_variable @w, %x : tensor<4xf32>
      graph.yield
    } else {
      graph.yield
    }
    return
  }
}

// -----

module attributes {
    weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>,
    weir.cluster = #weir.cluster<jobs = ["ps", "worker"], sizes = [1, 2], replicas = "worker">,
    weir.devices = {}} {
  func.func @gather(%x: tensor<2xf32> {weir.shards = array<i64: 1>}) -> tensor<4xf32> attributes {weir.entry = "f"} {
    // expected-error@below {{needs the whole batch, and each task has a part of it; name one task for the node}}
    %y = graph.all_gather %x along 0 over ["data"] : tensor<2xf32> to tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {
    weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>,
    weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [2], replicas = "worker">,
    weir.devices = {}} {
  func.func @reduce(%x: tensor<2xf32> {weir.shards = array<i64: 1>}) -> tensor<2xf32> attributes {weir.entry = "f"} {
    // expected-error@below {{adds parts of all tasks of 'worker', and the cluster has no other task; weir compile --mesh=data=2 needs no cluster}}
    %y = graph.all_reduce sum %x over ["data"] : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

// -----

module attributes {
    weir.cluster = #weir.cluster<jobs = ["worker"], sizes = [2]>,
    weir.devices = {}} {
  func.func @dynamic(%n: tensor<i64>) attributes {weir.entry = "f"} {
    // expected-error@below {{has dynamic dimensions, which weir partition does not divide; --dim sets a size}}
    graph.symbol 3 is %n : tensor<i64>
    return
  }
}

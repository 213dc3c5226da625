// RUN: weir-opt %s --split-input-file --weir-check-transfers --verify-diagnostics

// A ring of tasks that send before they receive, with nothing that buffers.
module {
  // expected-error@below {{the messages of function 0: rank 0 waits for ever in step 0 to send 16 bytes to rank 1}}
  module attributes {weir.cluster = #weir.cluster<jobs = ["ring"], sizes = [2], role = "ring-0">,
      weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [2]>, weir.arena_bytes = 64 : i64, weir.collectives = [
      #weir.collective<kind = "send", type = tensor<4xf32>, node = "a", key = 0, peer = 1, peers = 1>,
      #weir.collective<kind = "recv", type = tensor<4xf32>, data = 16, node = "b", key = 1, peer = 1, peers = 1>]} {}
  module attributes {weir.cluster = #weir.cluster<jobs = ["ring"], sizes = [2], role = "ring-1">,
      weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [2]>, weir.arena_bytes = 64 : i64, weir.collectives = [
      #weir.collective<kind = "send", type = tensor<4xf32>, node = "b", key = 1, peer = 0, peers = 1>,
      #weir.collective<kind = "recv", type = tensor<4xf32>, data = 16, node = "a", key = 0, peer = 0, peers = 1>]} {}
}

// -----

// The same in an order that ends: no error.
module {
  module attributes {weir.cluster = #weir.cluster<jobs = ["ring"], sizes = [2], role = "ring-0">,
      weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [2]>, weir.arena_bytes = 64 : i64, weir.collectives = [
      #weir.collective<kind = "send", type = tensor<4xf32>, node = "a", key = 0, peer = 1, peers = 1>,
      #weir.collective<kind = "recv", type = tensor<4xf32>, data = 16, node = "b", key = 1, peer = 1, peers = 1>]} {}
  module attributes {weir.cluster = #weir.cluster<jobs = ["ring"], sizes = [2], role = "ring-1">,
      weir.mesh = #weir.mesh<axes = ["tasks"], sizes = [2]>, weir.arena_bytes = 64 : i64, weir.collectives = [
      #weir.collective<kind = "recv", type = tensor<4xf32>, data = 16, node = "a", key = 0, peer = 0, peers = 1>,
      #weir.collective<kind = "send", type = tensor<4xf32>, node = "b", key = 1, peer = 0, peers = 1>]} {}
}

// -----

module {
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
    func.func @alone(%x: tensor<4xf32>) {
      // expected-error@below {{has no graph.recv with its key}}
      graph.send %x to "ps-1" key 0 : tensor<4xf32>
      return
    }
  }
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-1">} {}
}

// -----

module {
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
    func.func @twice(%x: tensor<4xf32>) {
      graph.send %x to "ps-1" key 0 : tensor<4xf32>
      // expected-error@below {{is the second with the key 0}}
      graph.send %x to "ps-1" key 0 : tensor<4xf32>
      return
    }
  }
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-1">} {}
}

// -----

module {
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-0">} {
    func.func @type(%x: tensor<4xf32>) {
      graph.send %x to "ps-1" key 0 : tensor<4xf32>
      return
    }
  }
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [2], role = "ps-1">} {
    func.func @type() {
      // expected-error@below {{receives 'tensor<4xi32>', and its graph.send sends 'tensor<4xf32>'}}
      %x = graph.recv from "ps-0" key 0 : tensor<4xi32>
      return
    }
  }
}

// -----

module {
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [3], role = "ps-0">} {
    func.func @place(%x: tensor<4xf32>) {
      // expected-error@below {{goes to 'ps-2', and its graph.recv is in 'ps-1'}}
      graph.send %x to "ps-2" key 0 : tensor<4xf32>
      return
    }
  }
  module attributes {weir.cluster = #weir.cluster<jobs = ["ps"], sizes = [3], role = "ps-1">} {
    func.func @place() {
      %x = graph.recv from "ps-0" key 0 : tensor<4xf32>
      return
    }
  }
}

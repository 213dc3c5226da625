// RUN: weir-opt %s --split-input-file --weir-place-ops --verify-diagnostics | FileCheck %s

// Rules have priority over constraints, and later rules over earlier ones. Other ops
// are on the GPU.
// CHECK-NOT: weir.devices
// CHECK-LABEL: func.func @rules
// CHECK: graph.exp %{{.*}} {weir.host} : tensor<4xf32>
// CHECK: graph.neg %{{.*}} : tensor<4xf32>
// CHECK: graph.abs %{{.*}} : tensor<4xf32>
// CHECK: graph.log %{{.*}} {weir.host} : tensor<4xf32>
// CHECK: graph.tanh %{{.*}} : tensor<4xf32>
module attributes {weir.gpu = #weir.gpu<place = ["^lookup/:cpu", "neg$:gpu"]>, weir.devices = {"a" = "/job:w/task:1/device:GPU:0", "b" = "/cpu:0", "lookup/neg" = "/device:CPU:0"}} {
  func.func @rules(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32> loc("lookup/exp")
    %1 = graph.neg %0 : tensor<4xf32> loc("lookup/neg")
    %2 = graph.abs %1 : tensor<4xf32> loc("a")
    %3 = graph.log %2 : tensor<4xf32> loc("b")
    %4 = graph.tanh %3 : tensor<4xf32> loc("c")
    return %4 : tensor<4xf32>
  }
}

// -----

// With nested calls, the innermost node that a rule names decides.
// CHECK-LABEL: func.func @calls
// CHECK: graph.exp %{{.*}} {weir.host} : tensor<4xf32>
// CHECK: graph.neg %{{.*}} : tensor<4xf32>
module attributes {weir.gpu = #weir.gpu<>, weir.devices = {call = "/device:CPU:0", inner = "/device:GPU:0"}} {
  func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32> loc(callsite("other" at "call"))
    %1 = graph.neg %0 : tensor<4xf32> loc(callsite("inner" at "call"))
    return %1 : tensor<4xf32>
  }
}

// -----

// expected-error@below {{--place=^none$:cpu: no node that is left in the model has such a name}}
module attributes {weir.gpu = #weir.gpu<place = ["^none$:cpu"]>} {
  func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32> loc("some")
    return %0 : tensor<4xf32>
  }
}

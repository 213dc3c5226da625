// RUN: weir-opt %s | weir-opt | FileCheck %s

// A module, its functions and their tensors have the attributes of all stages.
// CHECK: module attributes {weir.arena_bytes = 64 : i64, weir.checks = ["x is negative"], weir.limits_layouts, weir.slots = 4 : i64, weir.source = "model.pb"}
module attributes {weir.arena_bytes = 64 : i64, weir.checks = ["x is negative"], weir.limits_layouts, weir.slots = 4 : i64, weir.source = "model.pb"} {
  // CHECK: graph.variable @w : tensor<4xf32> {weir.slice = "8 0,4", weir.trained}
  graph.variable @w : tensor<4xf32> {weir.slice = "8 0,4", weir.trained}
  // CHECK: func.func @f(%{{.*}}: tensor<4xf32> {weir.name = "x", weir.sizes = [array<i64: 4, 1>], weir.tensor = "x:0"}, %{{.*}}: tensor<1xi64> {weir.dims = ["n"], weir.least = array<i64: 1>, weir.shape_of = 0 : i64}) -> (tensor<4xf32> {weir.state_input}) attributes {weir.entry = "serve"}
  func.func @f(%x: tensor<4xf32> {weir.name = "x", weir.sizes = [array<i64: 4, 1>], weir.tensor = "x:0"}, %n: tensor<1xi64> {weir.dims = ["n"], weir.least = array<i64: 1>, weir.shape_of = 0 : i64}) -> (tensor<4xf32> {weir.state_input}) attributes {weir.entry = "serve"} {
    // CHECK: graph.exp %{{.*}} {weir.host}
    %y = graph.exp %x {weir.host} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
  // CHECK: func.func private @k(tensor<4xf32> {weir.constant, weir.stored_as = bf16}) attributes {weir.in_place = array<i64: 0>, weir.kernel, weir.nanoseconds = 100 : i64}
  func.func private @k(tensor<4xf32> {weir.constant, weir.stored_as = bf16}) attributes {weir.in_place = array<i64: 0>, weir.kernel, weir.nanoseconds = 100 : i64}
}

// RUN: weir-opt %s --split-input-file --weir-insert-init | FileCheck %s

// The pass adds an entry that assigns initial values, after the others.
// CHECK: graph.variable @steps : tensor<i64>{{$}}
// CHECK: func.func @main
// CHECK: func.func @init() attributes {weir.entry = "init", weir.init} {
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<0> : tensor<i64>
// CHECK-NEXT: graph.write_variable @steps, %[[C]] : tensor<i64>
// CHECK-NEXT: return
graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
func.func @main() -> tensor<i64> attributes {weir.entry = "main"} {
  %n = graph.read_variable @steps : tensor<i64>
  return %n : tensor<i64>
}

// -----

// An existing initialization entry assigns them before its own body. It may have any
// name, even that of a variable.
// CHECK: graph.variable @init : tensor<f32>{{$}}
// CHECK: func.func @first() attributes
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: graph.write_variable @init, %[[C]]
// CHECK-NEXT: graph.read_variable @init
// CHECK-NOT: func.func
graph.variable @init : tensor<f32> = dense<1.0> : tensor<f32>
graph.variable @twice : tensor<f32>
func.func @first() attributes {weir.entry = "init", weir.init} {
  %x = graph.read_variable @init : tensor<f32>
  %y = graph.add %x, %x : tensor<f32>
  graph.write_variable @twice, %y : tensor<f32>
  return
}

// -----

// Without initial values the pass does nothing.
// CHECK: graph.variable @w : tensor<4xf32>
// CHECK-NOT: func.func
graph.variable @w : tensor<4xf32>

// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --cse --canonicalize | FileCheck %s --check-prefix=CSE

// CHECK: graph.variable @"dense/kernel" : tensor<4xf32>
graph.variable @"dense/kernel" : tensor<4xf32>
// CHECK: graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
// CHECK: graph.variable @bias : tensor<4xf32> {called = "kernel_0", key = "layer/bias"}
graph.variable @bias : tensor<4xf32> {called = "kernel_0", key = "layer/bias"}

// CHECK-LABEL: @assigns
// CHECK: graph.read_variable @"dense/kernel" : tensor<4xf32>
// CHECK: graph.write_variable @"dense/kernel", %{{.*}} : tensor<4xf32>
func.func @assigns() {
  %w = graph.read_variable @"dense/kernel" : tensor<4xf32>
  %v = graph.exp %w : tensor<4xf32>
  graph.write_variable @"dense/kernel", %v : tensor<4xf32>
  return
}

// Two reads become one, unless an assignment is between them. An assignment stays, and
// a read without users is removed.
// CSE-LABEL: @reads
// CSE-NEXT: %[[A:.*]] = graph.read_variable @bias
// CSE-NEXT: graph.write_variable @bias, %arg0
// CSE-NEXT: %[[C:.*]] = graph.read_variable @bias
// CSE-NEXT: return %[[A]], %[[A]], %[[C]]
func.func @reads(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = graph.read_variable @bias : tensor<4xf32>
  %b = graph.read_variable @bias : tensor<4xf32>
  graph.write_variable @bias, %x : tensor<4xf32>
  %c = graph.read_variable @bias : tensor<4xf32>
  %unused = graph.read_variable @steps : tensor<i64>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A branch with an assignment stays, although its result has no users.
// CSE-LABEL: @branch
// CSE: graph.if
// CSE: graph.write_variable
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    graph.write_variable @bias, %x : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// A branch may exist only for its effects.
// CHECK-LABEL: @effects
// CHECK: graph.if %{{.*}} : tensor<i1> {
// CHECK-NEXT: graph.write_variable @bias
// CHECK-NEXT: graph.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: graph.yield
func.func @effects(%p: tensor<i1>, %x: tensor<4xf32>) {
  graph.if %p : tensor<i1> {
    graph.write_variable @bias, %x : tensor<4xf32>
    graph.yield
  } else {
    graph.yield
  }
  return
}

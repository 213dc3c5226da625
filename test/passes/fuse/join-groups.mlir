// RUN: weir-opt %s --split-input-file --weir-join-groups | FileCheck %s

// An optimizer state and its variable are one group, which returns the values that
// other ops use.
// CHECK-LABEL: func.func @step
// CHECK: %[[R:.*]]:2 = graph.group(%arg0, %arg1, %arg2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[M:.*]] = graph.add %[[G]], %[[N]]
// CHECK-NEXT: %[[Y:.*]] = graph.sub %[[X]], %[[M]]
// CHECK-NEXT: graph.yield %[[Y]], %[[M]]
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @step(%g: tensor<4xf32>, %n: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = graph.group(%g, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c = graph.add %a, %b : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  %y = graph.group(%x, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c = graph.sub %a, %b : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  return %m, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// Groups are joined through reshapes that undo each other. An input of both is one
// operand. A value without other users is not returned.
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[X:.*]] = graph.reshape %arg0
// CHECK-NOT: graph.group
// CHECK: graph.group(%[[X]]) : (tensor<6xf32>) -> tensor<6xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<6xf32>):
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[A]]
// CHECK-NEXT: graph.mul %[[A]], %[[E]]
func.func @reshaped(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %f = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  %e = graph.group(%f) : (tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6xf32>):
    %c = graph.exp %a : tensor<6xf32>
    graph.yield %c : tensor<6xf32>
  }
  %s = graph.reshape %e : tensor<6xf32> to tensor<2x3xf32>
  %t = graph.reshape %s : tensor<2x3xf32> to tensor<6xf32>
  %h = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  %y = graph.group(%h, %t) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %c = graph.mul %a, %b : tensor<6xf32>
    graph.yield %c : tensor<6xf32>
  }
  return %y : tensor<6xf32>
}

// -----

// An op between the groups that a product needs moves before the second group.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-3: graph.group
func.func @between(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = graph.group(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %c = graph.exp %a : tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  %p = graph.group(%e) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %c = graph.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  %y = graph.group(%p, %e) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %c = graph.add %a, %b : tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

// Joined, the group would keep two inputs alive for one result, so it stays apart.
// CHECK-LABEL: func.func @waiting
// CHECK: graph.mul
// CHECK-NEXT: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: graph.group
// CHECK: graph.add
func.func @waiting(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = graph.group(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %c = graph.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  %q = graph.group(%x, %p) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %c = graph.matmul %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  %e = graph.group(%p, %q) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %c = graph.mul %a, %b : tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  %y = graph.group(%x, %e) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %c = graph.add %a, %b : tensor<4x4xf32>
    graph.yield %c : tensor<4x4xf32>
  }
  return %e, %y : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A broadcast of the first group's result has other elements, so the groups stay apart.
// CHECK-LABEL: func.func @broadcast
// CHECK-COUNT-2: graph.group
func.func @broadcast(%x: tensor<4xf32>, %w: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %e = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = graph.exp %a : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  %y = graph.group(%w, %e) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<2x4xf32>, %b: tensor<4xf32>):
    %d = graph.broadcast %b [1] : tensor<4xf32> to tensor<2x4xf32>
    %c = graph.add %a, %d : tensor<2x4xf32>
    graph.yield %c : tensor<2x4xf32>
  }
  return %e, %y : tensor<4xf32>, tensor<2x4xf32>
}

// RUN: weir-opt %s -weir-prune-unused | FileCheck %s

// CHECK-LABEL: @dead
// CHECK-NEXT: return %arg0
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  return %x : tensor<4xf32>
}

// A check that may fail stays, with its operands; one that always holds is removed.
// CHECK-LABEL: @checks
// CHECK-NEXT: %[[P:.*]] = graph.less %arg0, %arg1
// CHECK-NEXT: graph.check %[[P]], "node 'less': false"
// CHECK-NEXT: return
func.func @checks(%a: tensor<i32>, %b: tensor<i32>) {
  %p = graph.less %a, %b : tensor<i32>
  graph.check %p, "node 'less': false" : tensor<i1>
  %c = graph.constant dense<true> : tensor<i1>
  graph.check %c, "node 'assert': condition is false" : tensor<i1>
  return
}

// A check that always fails stays.
// CHECK-LABEL: @fails
// CHECK: graph.check
func.func @fails() {
  %c = graph.constant dense<false> : tensor<i1>
  graph.check %c, "node 'assert': condition is false" : tensor<i1>
  return
}

// A branch with a check stays.
// CHECK-LABEL: @branch
// CHECK: graph.if
func.func @branch(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<4xf32>) {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    graph.check %q, "node 'assert': condition is false" : tensor<i1>
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// %limit never changes, and nothing reads the sum. So the loop has one variable, and
// the initial sum disappears.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[I:.*]]: tensor<i32>, %[[LIMIT:.*]]: tensor<i32>, %{{.*}}: tensor<i32>)
// CHECK-NEXT: %[[N:.*]] = graph.while(%[[I]]) : (tensor<i32>) -> tensor<i32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i32>):
// CHECK-NEXT: graph.less %[[A]], %[[LIMIT]]
// CHECK: } do {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i32>):
// CHECK-NEXT: %[[B:.*]] = graph.add %[[A]], %[[A]]
// CHECK-NEXT: graph.yield %[[B]] : tensor<i32>
// CHECK: return %[[N]]
func.func @loop(%i: tensor<i32>, %limit: tensor<i32>, %start: tensor<i32>)
    -> tensor<i32> {
  %zero = graph.neg %start : tensor<i32>
  %n:3 = graph.while(%i, %limit, %zero) : (tensor<i32>, tensor<i32>, tensor<i32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  ^bb0(%a: tensor<i32>, %l: tensor<i32>, %s: tensor<i32>):
    %p = graph.less %a, %l : tensor<i32>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>, %l: tensor<i32>, %s: tensor<i32>):
    %b = graph.add %a, %a : tensor<i32>
    graph.yield %b, %l, %s : tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %n#0 : tensor<i32>
}

// CHECK-NOT: @unused
// CHECK-NOT: @helper
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// A resource without a constant is removed.
// CHECK-LABEL: @resource
// CHECK-NOT: gone:
// CHECK: kept: "0x040000000000803F"
// CHECK-NOT: gone:
func.func @resource() -> tensor<1xf32> {
  %a = graph.constant dense_resource<gone> : tensor<1xf32>
  %b = graph.constant dense_resource<kept> : tensor<1xf32>
  %c = graph.constant dense_resource<kept> : tensor<1xf32>
  return %b : tensor<1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      gone: "0x0400000000000040",
      kept: "0x040000000000803F"
    }
  }
#-}

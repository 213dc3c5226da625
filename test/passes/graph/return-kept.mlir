// RUN: weir-opt %s --split-input-file --weir-return-kept --verify-diagnostics | FileCheck %s

// A kept value is a result behind the others, by its tensor's name without ":0".
// CHECK-LABEL: @simple
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32> {weir.name = "h", weir.tensor = "h:0"})
// CHECK: %[[H:.*]] = graph.exp
// CHECK: %[[Y:.*]] = graph.neg %[[H]]
// CHECK-NOT: graph.keep
// CHECK: return %[[Y]], %[[H]] :
func.func @simple(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = graph.exp %x : tensor<4xf32>
  graph.keep %h, "h:0" : tensor<4xf32>
  %y = graph.neg %h : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A tensor that is a result already is not returned again; a name that another
// result has is not given twice.
// CHECK-LABEL: @names
// CHECK-SAME: -> (tensor<4xf32> {weir.name = "h", weir.tensor = "y:0"}, tensor<4xf32> {weir.name = "h:0", weir.tensor = "h:0"})
// CHECK: return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @names(%x: tensor<4xf32>) -> (tensor<4xf32> {weir.name = "h", weir.tensor = "y:0"}) {
  %h = graph.exp %x : tensor<4xf32>
  graph.keep %h, "h:0" : tensor<4xf32>
  %y = graph.neg %h : tensor<4xf32>
  graph.keep %y, "y" : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Sizes that the run knows come behind all values.
// CHECK-LABEL: @sizes
// CHECK-SAME: -> (tensor<8xf32> {weir.name = "a", weir.tensor = "a"}, tensor<4xf32> {weir.name = "b", weir.tensor = "b"}, tensor<1xi64> {weir.dims = [""], weir.least = array<i64: 0>, weir.name = "a.shape", weir.shape_of = 0 : i64, weir.tensor = "a.shape"})
// CHECK: return %{{.*}}, %{{.*}}, %arg2 :
func.func @sizes(%x: tensor<8xf32>, %y: tensor<4xf32>, %s: tensor<1xi64>) {
  %a = graph.exp %x : tensor<8xf32>
  graph.keep %a, "a" shape(%s : tensor<1xi64>) {least = array<i64: 0>} : tensor<8xf32>
  %b = graph.exp %y : tensor<4xf32>
  graph.keep %b, "b" : tensor<4xf32>
  return
}

// -----

// Of the steps of an unrolled loop the last one counts.
// CHECK-LABEL: @unrolled
// CHECK: graph.exp
// CHECK: %[[SECOND:.*]] = graph.exp
// CHECK: return %[[SECOND]] : tensor<4xf32>
func.func @unrolled(%x: tensor<4xf32>) {
  %a = graph.exp %x : tensor<4xf32>
  graph.keep %a, "step:0" : tensor<4xf32>
  %b = graph.exp %a : tensor<4xf32>
  graph.keep %b, "step:0" : tensor<4xf32>
  return
}

// -----

// A branch that does not run has zeros.
// CHECK-LABEL: @branches
// CHECK: %[[IF:.*]]:3 = graph.if %{{.*}} : tensor<i1> -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
// CHECK: %[[A:.*]] = graph.exp
// CHECK: %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: graph.yield %{{.*}}, %[[A]], %[[Z]]
// CHECK: } else {
// CHECK: %[[B:.*]] = graph.neg
// CHECK: %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: graph.yield %{{.*}}, %[[Z]], %[[B]]
// CHECK: return %[[IF]]#0, %[[IF]]#2, %[[IF]]#1 :
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    %a = graph.exp %x : tensor<4xf32>
    graph.keep %a, "a" : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  } else {
    %b = graph.neg %v : tensor<2xf32>
    graph.keep %b, "b" : tensor<2xf32>
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// A loop carries the value of its last iteration; what is kept in its condition
// has no result. A conditional in a loop passes its value on.
// CHECK-LABEL: @loop
// CHECK-SAME: -> (tensor<i32>, tensor<i32> {weir.name = "inner", weir.tensor = "inner"}, tensor<i32> {weir.name = "next", weir.tensor = "next"})
// CHECK: %[[ZA:.*]] = graph.constant dense<0> : tensor<i32>
// CHECK: %[[ZB:.*]] = graph.constant dense<0> : tensor<i32>
// CHECK: %[[LOOP:.*]]:3 = graph.while(%{{.*}}, %[[ZA]], %[[ZB]])
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK: graph.yield %{{.*}} : tensor<i1>
// CHECK: } do {
// CHECK: %[[IN:.*]] = graph.if
// CHECK: %[[NEXT:.*]] = graph.add
// CHECK: graph.yield %[[NEXT]], %[[IN]], %[[NEXT]] :
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1, %[[LOOP]]#2 :
func.func @loop(%i: tensor<i32>, %p: tensor<i1>, %limit: tensor<i32>) -> tensor<i32> {
  %n = graph.while(%i) : (tensor<i32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>):
    %less = graph.less %a, %limit : tensor<i32>
    // expected-warning @below {{is in the condition of a loop: --keep has no result for it}}
    graph.keep %less, "less" : tensor<i1>
    graph.yield %less : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    graph.if %p : tensor<i1> {
      %s = graph.square %a : tensor<i32>
      graph.keep %s, "inner" : tensor<i32>
      graph.yield
    } else {
      graph.yield
    }
    %b = graph.add %a, %a : tensor<i32>
    graph.keep %b, "next" : tensor<i32>
    graph.yield %b : tensor<i32>
  }
  return %n : tensor<i32>
}

// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @constant
// CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @constant() -> tensor<2xf32> {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// A large constant keeps its bytes in a resource.
// CHECK-LABEL: @resource
// CHECK: graph.constant dense_resource<weights> : tensor<2xf32>
func.func @resource() -> tensor<2xf32> {
  %c = graph.constant dense_resource<weights> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// CHECK-LABEL: @group
// CHECK: graph.group(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[B:.*]] = graph.exp %[[A]]
// CHECK-NEXT: graph.yield %[[B]]
func.func @group(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.exp %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @choice
// CHECK: graph.if %{{.*}} : tensor<i1> -> (tensor<4xf32>) {
// CHECK: } else {
func.func @choice(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>)
    -> tensor<4xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @loop
// CHECK: graph.while(%{{.*}}) : (tensor<i32>) -> tensor<i32> {
// CHECK: } do {
func.func @loop(%i: tensor<i32>, %limit: tensor<i32>, %one: tensor<i32>)
    -> tensor<i32> {
  %n = graph.while(%i) : (tensor<i32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>):
    %p = graph.less %a, %limit : tensor<i32>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    %b = graph.add %a, %one : tensor<i32>
    graph.yield %b : tensor<i32>
  }
  return %n : tensor<i32>
}

// CHECK-LABEL: @check
// CHECK: graph.check %{{.*}}, "node 'lookup': index out of range" : tensor<i1>
func.func @check(%p: tensor<i1>) {
  graph.check %p, "node 'lookup': index out of range" : tensor<i1>
  return
}

// CHECK-LABEL: @check_of_element
// CHECK: graph.check %{{.*}}, "node 'log': 'y' is not finite" element(%{{.*}}, %{{.*}} : tensor<i64>, tensor<f32>) : tensor<i1>
func.func @check_of_element(%q: tensor<i1>, %i: tensor<i64>, %x: tensor<f32>) {
  graph.check %q, "node 'log': 'y' is not finite" element(%i, %x : tensor<i64>, tensor<f32>) : tensor<i1>
  // CHECK: graph.check %{{.*}}, "the size is" element(%{{.*}} : tensor<i64>) : tensor<i1>
  graph.check %q, "the size is" element(%i : tensor<i64>) : tensor<i1>
  return
}

// CHECK-LABEL: @keep
// CHECK: graph.keep %{{.*}}, "conv1/Relu:0" : tensor<4xf32>
// CHECK: graph.keep %{{.*}}, "top" shape(%{{.*}} : tensor<2xi64>) {least = array<i64: 0, 4>} : tensor<8x4xf32>
func.func @keep(%y: tensor<4xf32>, %z: tensor<8x4xf32>, %s: tensor<2xi64>) {
  graph.keep %y, "conv1/Relu:0" : tensor<4xf32>
  graph.keep %z, "top" shape(%s : tensor<2xi64>) {least = array<i64: 0, 4>} : tensor<8x4xf32>
  return
}

// A result of yield is no result of the block around it.
// CHECK-LABEL: @yields
// CHECK: graph.yield
func.func @yields(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%y: tensor<4xf32>):
    graph.yield %y : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}

// CHECK-LABEL: @symbol
func.func @symbol(%x: tensor<8x4xf32>, %n: tensor<i64>) -> tensor<8x4xf32> {
  // CHECK: graph.symbol 3 is %{{.*}} : tensor<i64>
  graph.symbol 3 is %n : tensor<i64>
  // CHECK: weir.sizes = [array<i64: 8, 3>, array<i64: 4, -1>]
  %y = graph.exp %x {weir.sizes = [array<i64: 8, 3>, array<i64: 4, -1>]} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

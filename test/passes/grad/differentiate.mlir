// RUN: weir-opt %s -split-input-file -weir-differentiate -mlir-print-debuginfo -verify-diagnostics | FileCheck %s

// The gradient of a value with several uses is a sum. Gradient ops have the location of
// the forward node, and its name.
// CHECK-LABEL: @uses(
// CHECK: %[[G:.*]] = graph.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[A:.*]] = graph.mul %arg0, %[[G]] : tensor<4xf32> loc(#[[AT:.*]])
// CHECK: %[[B:.*]] = graph.mul %arg0, %[[G]] : tensor<4xf32> loc(#[[AT]])
// CHECK: %[[SUM:.*]] = graph.add %[[A]], %[[B]]
// CHECK: return %[[SUM]]
// CHECK-DAG: #[[NODE:.*]] = loc("product"
// CHECK-DAG: #[[AT]] = loc("gradients/product"(#[[NODE]]))
func.func @uses(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.mul %x, %x : tensor<4xf32> loc("product")
  %c = graph.reduce_sum %y [0] : tensor<4xf32>
  %dx = graph.gradient %c of %x : tensor<f32>, (tensor<4xf32>)
  return %dx : tensor<4xf32>
}

// -----

// A variable ends the path of a gradient by its value.
// CHECK-LABEL: @variable(
// CHECK: %[[W:.*]] = graph.read_variable @w
// CHECK: %[[G:.*]] = graph.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[DW:.*]] = graph.mul %arg0, %[[G]]
// CHECK: return %[[DW]]
graph.variable @w : tensor<4xf32>
func.func @variable(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.read_variable @w : tensor<4xf32>
  %y = graph.mul %w, %x : tensor<4xf32>
  %c = graph.reduce_sum %y [0] : tensor<4xf32>
  %dw = graph.gradient %c of %w : tensor<f32>, (tensor<4xf32>)
  return %dw : tensor<4xf32>
}

// -----

// Terms beyond the depth of a product have a gradient of zero.
// CHECK-LABEL: @depth(
// CHECK: %[[DA:.*]] = graph.matmul %{{.*}}, %arg1 transpose_b
// CHECK: graph.fill_beyond %[[DA]], %arg2, %{{.*}} along 1 reach 3
// CHECK: %[[DB:.*]] = graph.matmul %arg0, %{{.*}} transpose_a
// CHECK: graph.fill_beyond %[[DB]], %arg2, %{{.*}} along 0 reach 3
func.func @depth(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %n: tensor<i64>) -> (tensor<2x3xf32>, tensor<3x4xf32>) {
  %y = graph.matmul %a, %b depth %n : tensor<2x3xf32>, tensor<3x4xf32>
  %c = graph.reduce_sum %y [0, 1] : tensor<2x4xf32>
  %da, %db = graph.gradient %c of %a, %b : tensor<f32>, (tensor<2x3xf32>, tensor<3x4xf32>)
  return %da, %db : tensor<2x3xf32>, tensor<3x4xf32>
}

// -----

// Ops outside of the path have no gradients, and neither have integers and Booleans. A
// variable that the loss does not depend on has a gradient of zero.
// CHECK-LABEL: @path(
// CHECK: graph.exp %arg1
// CHECK-NOT: graph.exp
// CHECK: %[[G:.*]] = graph.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[DX:.*]] = graph.mul %{{.*}}, %[[G]] : tensor<4xf32>
// CHECK-NEXT: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[ZERO]]
func.func @path(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<3xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %a = graph.exp %y : tensor<4xf32>
  %i = graph.cast %x : tensor<4xf32> to tensor<4xi32>
  %b = graph.cast %i : tensor<4xi32> to tensor<4xf32>
  %s = graph.stop_gradient %x : tensor<4xf32>
  %t = graph.add %b, %s : tensor<4xf32>
  %p = graph.mul %x, %t : tensor<4xf32>
  %c = graph.reduce_sum %p [0] : tensor<4xf32>
  %dx, %dn = graph.gradient %c of %x, %n : tensor<f32>, (tensor<4xf32>, tensor<3xf32>)
  return %a, %dx, %dn : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
}

// -----

// A gradient may be differentiated again.
// CHECK-LABEL: @twice(
// CHECK-NOT: graph.gradient
// CHECK-NOT: graph.barrier
// CHECK: return
func.func @twice(%v: tensor<f32>) -> tensor<f32> {
  %x = graph.barrier %v : tensor<f32>
  %y = graph.tanh %x : tensor<f32>
  %d = graph.gradient %y of %x : tensor<f32>, (tensor<f32>)
  %e = graph.gradient %d of %x : tensor<f32>, (tensor<f32>)
  return %e : tensor<f32>
}

// -----

// The gradients of a conditional are those of the branch that runs.
// CHECK-LABEL: @branch(
// CHECK: graph.if
// CHECK: %[[D:.*]]:2 = graph.if %arg0 : tensor<i1> -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: graph.mul
// CHECK: } else {
// CHECK: graph.constant dense<-1.000000e+00>
// CHECK: return %[[D]]#0, %[[D]]#1
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    %a = graph.mul %x, %y : tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } else {
    %a = graph.sub %x, %y : tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  }
  %dx, %dy = graph.gradient %r of %x, %y : tensor<4xf32>, (tensor<4xf32>, tensor<4xf32>)
  return %dx, %dy : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop with a constant number of iterations saves the values that its gradients need,
// and no others.
// CHECK-LABEL: @counted(
// CHECK: graph.while(%{{.*}}, %arg0, %{{.*}}, %{{.*}}) : (tensor<i32>, tensor<2xf32>, tensor<i32>, tensor<5x2xf32>)
// CHECK: graph.dynamic_update_slice
// CHECK: graph.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<2xf32>)
// CHECK: graph.dynamic_slice
// CHECK: return
func.func @counted(%x: tensor<2xf32>) -> tensor<2xf32> {
  %i = graph.constant dense<0> : tensor<i32>
  %n = graph.constant dense<5> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %m, %r = graph.while(%i, %x) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  ^bb0(%a: tensor<i32>, %b: tensor<2xf32>):
    %p = graph.less %a, %n : tensor<i32>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>, %b: tensor<2xf32>):
    %c = graph.add %a, %one : tensor<i32>
    %d = graph.square %b : tensor<2xf32>
    graph.yield %c, %d : tensor<i32>, tensor<2xf32>
  }
  %dx = graph.gradient %r of %x : tensor<2xf32>, (tensor<2xf32>)
  return %dx : tensor<2xf32>
}

// -----

// A loop without a bound computes its states again.
// CHECK-LABEL: @unbounded(
// CHECK: graph.while(%arg0, %{{.*}}) : (tensor<f32>, tensor<i32>)
// CHECK: graph.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<f32>)
// CHECK: graph.while(%arg0, %{{.*}}) : (tensor<f32>, tensor<i32>)
// CHECK: return
func.func @unbounded(%x: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  %r = graph.while(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%b: tensor<f32>):
    %p = graph.less %b, %limit : tensor<f32>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%b: tensor<f32>):
    %d = graph.exp %b : tensor<f32>
    graph.yield %d : tensor<f32>
  }
  %dx = graph.gradient %r of %x : tensor<f32>, (tensor<f32>)
  return %dx : tensor<f32>
}

// -----

// A gradient by a filter is linear in both operands. Pixels that no window covers could
// make room for one more window, so they are cut off.
// CHECK-LABEL: @filter_gradient(
// CHECK: %[[W:.*]] = graph.transpose %{{.*}} [1, 2, 0] : tensor<6x3x4xf32>
// CHECK: graph.reverse
// CHECK: graph.convolution %arg1
// CHECK: %[[X:.*]] = graph.slice %arg0 [0, 0, 0] to [2, 8, 4] by [1, 1, 1]
// CHECK: graph.convolution %[[X]], %[[W]] strides [2] padding_low [1] padding_high [0] dilations [1] groups 1
func.func @filter_gradient(%x: tensor<2x9x4xf32>, %r: tensor<2x4x6xf32>, %w: tensor<6x3x4xf32>) -> (tensor<2x9x4xf32>, tensor<2x4x6xf32>) {
  %g = graph.filter_gradient %x, %r window [3] strides [2] padding_low [1] dilations [1] groups 1 : tensor<2x9x4xf32>, tensor<2x4x6xf32>
  %p = graph.mul %g, %w : tensor<6x3x4xf32>
  %dx, %dr = graph.gradient %p of %x, %r : tensor<6x3x4xf32>, (tensor<2x9x4xf32>, tensor<2x4x6xf32>)
  return %dx, %dr : tensor<2x9x4xf32>, tensor<2x4x6xf32>
}

// -----

// An op without a derivative is an error that names the path.
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32> loc("first")
  // expected-error @below {{(graph.igamma) has no derivative by its operand 0, and lies between a variable and the loss: first -> third -> the loss}}
  %b = graph.igamma %a, %x : tensor<4xf32>
  %c = graph.neg %b : tensor<4xf32> loc("third")
  %dx = graph.gradient %c of %x : tensor<4xf32>, (tensor<4xf32>)
  return %dx : tensor<4xf32>
}

// -----

func.func @prevented(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(graph.stop_gradient) is not to be differentiated}}
  %a = graph.stop_gradient %x refusal "is not to be differentiated" : tensor<4xf32>
  %dx = graph.gradient %a of %x : tensor<4xf32>, (tensor<4xf32>)
  return %dx : tensor<4xf32>
}

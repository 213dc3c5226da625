// RUN: weir-opt %s --split-input-file --weir-hoist-updates | FileCheck %s

// Ops that serve only an assignment move directly after their operands. The assignment
// moves after the last use of the old value.
// CHECK-LABEL: func.func @early
// CHECK: %[[W:.*]] = graph.read_variable @w
// CHECK: %[[G:.*]] = graph.group(%arg0)
// CHECK: %[[RATE:.*]] = graph.read_variable @rate
// CHECK: %[[V:.*]] = graph.group(%[[W]], %[[G]], %[[RATE]])
// CHECK: %[[X:.*]] = graph.group(%[[W]])
// CHECK: graph.write_variable @w, %[[V]]
// CHECK: %[[H:.*]] = graph.group(%[[X]])
// CHECK: return %[[H]]
module attributes {weir.remat = 0 : i64} {
  graph.variable @w : tensor<4xf32>
  graph.variable @rate : tensor<4xf32>
  func.func @early(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "step"} {
    %w = graph.read_variable @w : tensor<4xf32>
    %g = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %b = graph.exp %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    }
    %d = graph.group(%w) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %b = graph.exp %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    }
    %h = graph.group(%d) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %b = graph.exp %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    }
    %rate = graph.read_variable @rate : tensor<4xf32>
    %v = graph.group(%w, %g, %rate) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
      %e = graph.mul %b, %c : tensor<4xf32>
      %f = graph.sub %a, %e : tensor<4xf32>
      graph.yield %f : tensor<4xf32>
    }
    graph.write_variable @w, %v : tensor<4xf32>
    return %h : tensor<4xf32>
  }
}

// -----

// An assignment stays after a check and after another op that assigns. A read after an
// assignment stays there.
// CHECK-LABEL: func.func @behind
// CHECK: graph.check
// CHECK: graph.write_variable @w
// CHECK: graph.if
// CHECK: graph.write_variable @v
// CHECK: graph.read_variable @v
// CHECK: graph.write_variable @w
module attributes {weir.remat = 0 : i64} {
  graph.variable @w : tensor<4xf32>
  graph.variable @v : tensor<4xf32>
  func.func @behind(%x: tensor<4xf32>, %p: tensor<i1>) attributes {weir.entry = "step"} {
    graph.check %p, "wrong" : tensor<i1>
    graph.write_variable @w, %x : tensor<4xf32>
    %c = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
      graph.write_variable @w, %x : tensor<4xf32>
      graph.yield %x : tensor<4xf32>
    } else {
      graph.yield %x : tensor<4xf32>
    }
    graph.write_variable @v, %x : tensor<4xf32>
    %v = graph.read_variable @v : tensor<4xf32>
    graph.write_variable @w, %v : tensor<4xf32>
    return
  }
}

// -----

// Many assignments use this gradient. It is computed at the last use of its own
// operands, which frees their memory.
// CHECK-LABEL: func.func @frees
// CHECK: %[[A:.*]] = graph.group(%arg0)
// CHECK: %[[G:.*]] = graph.group(%[[A]], %arg0)
// CHECK: %[[B:.*]] = graph.group(%arg1)
// CHECK: graph.if
module attributes {weir.remat = 0 : i64} {
  graph.variable @w : tensor<4xf32>
  func.func @frees(%x: tensor<16xf32>, %y: tensor<16xf32>, %p: tensor<i1>) attributes {weir.entry = "step"} {
    %a = graph.group(%x) : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%q: tensor<16xf32>):
      %r = graph.exp %q : tensor<16xf32>
      graph.yield %r : tensor<16xf32>
    }
    %b = graph.group(%y) : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%q: tensor<16xf32>):
      %r = graph.exp %q : tensor<16xf32>
      graph.yield %r : tensor<16xf32>
    }
    %g = graph.group(%a, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%q: tensor<16xf32>, %r: tensor<16xf32>):
      %s = graph.mul %q, %r : tensor<16xf32>
      graph.yield %s : tensor<16xf32>
    }
    %c = graph.if %p : tensor<i1> -> (tensor<16xf32>) {
      %d = graph.group(%g, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
      ^bb0(%q: tensor<16xf32>, %r: tensor<16xf32>):
        %s = graph.mul %q, %r : tensor<16xf32>
        graph.yield %s : tensor<16xf32>
      }
      graph.yield %d : tensor<16xf32>
    } else {
      graph.yield %g : tensor<16xf32>
    }
    return
  }
}

// -----

// An optimizer state has the scope of its variable, so both move together. Ops that
// serve both count as ops of one.
// CHECK-LABEL: func.func @kept
// CHECK: graph.exp
// CHECK: graph.neg
// CHECK: graph.log
module attributes {weir.remat = 0 : i64} {
  graph.variable @w : tensor<4xf32> {called = "net/w"}
  graph.variable @m : tensor<4xf32> {called = "net/w/momentum"}
  func.func @kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "step"} {
    %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.exp %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %b = graph.group(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.log %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %g = graph.group(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.neg %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %v = graph.group(%g) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.abs %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    graph.write_variable @w, %v : tensor<4xf32>
    graph.write_variable @m, %g : tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A variable with a similar name in another scope is independent.
// CHECK-LABEL: func.func @apart
// CHECK: graph.exp
// CHECK: graph.log
// CHECK: graph.neg
module attributes {weir.remat = 0 : i64} {
  graph.variable @w : tensor<4xf32> {called = "net/w"}
  graph.variable @m : tensor<4xf32> {called = "net/w2/momentum"}
  func.func @apart(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "step"} {
    %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.exp %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %b = graph.group(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.log %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %g = graph.group(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.neg %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    %v = graph.group(%g) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      %o = graph.abs %i : tensor<4xf32>
      graph.yield %o : tensor<4xf32>
    }
    graph.write_variable @w, %v : tensor<4xf32>
    graph.write_variable @m, %g : tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Without the option the pass does nothing.
// CHECK-LABEL: func.func @alone
// CHECK: graph.exp
// CHECK: graph.write_variable
graph.variable @w : tensor<4xf32>
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "step"} {
  %g = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.exp %a : tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  graph.write_variable @w, %x : tensor<4xf32>
  return %g : tensor<4xf32>
}

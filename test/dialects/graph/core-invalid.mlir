// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @group_takes_its_operands(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{body takes ('tensor<2xf32>') where ('tensor<4xf32>') is given}}
  %y = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<2xf32>):
    %c = graph.constant dense<0.0> : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @group_gives_its_results(%x: tensor<4xf32>) -> tensor<2xf32> {
  %y = graph.group(%x) : (tensor<4xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{gives ('tensor<4xf32>') where ('tensor<2xf32>') is wanted}}
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @branches_agree(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<2xf32>)
    -> tensor<4xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    graph.yield %a : tensor<4xf32>
  } else {
    // expected-error @below {{gives ('tensor<2xf32>') where ('tensor<4xf32>') is wanted}}
    graph.yield %b : tensor<2xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @loop_keeps_types(%i: tensor<i32>, %p: tensor<i1>) -> tensor<i64> {
  // expected-error @below {{changes the types of its variables}}
  %n = graph.while(%i) : (tensor<i32>) -> tensor<i64> {
  ^bb0(%a: tensor<i32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    graph.yield %a : tensor<i32>
  }
  return %n : tensor<i64>
}

// -----

func.func @condition_is_boolean(%i: tensor<i32>) -> tensor<i32> {
  %n = graph.while(%i) : (tensor<i32>) -> tensor<i32> {
  ^bb0(%a: tensor<i32>):
    // expected-error @below {{gives ('tensor<i32>') where ('tensor<i1>') is wanted}}
    graph.yield %a : tensor<i32>
  } do {
  ^bb0(%a: tensor<i32>):
    graph.yield %a : tensor<i32>
  }
  return %n : tensor<i32>
}

// -----

// Shapes are static.
func.func @shapes_are_static(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{must be statically shaped tensor}}
  %y = graph.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// An element is an index and a value, or one integer.
func.func @check_of_half_an_element(%p: tensor<i1>, %i: tensor<i64>) {
  // expected-error @below {{has an element that is not an i64, or an i64 and an f32}}
  graph.check %p, "node 'n'" element(%i, %i : tensor<i64>, tensor<i64>) : tensor<i1>
  return
}

// -----

func.func @keep_with_sizes_of_another_rank(%x: tensor<8x4xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{has sizes of another number of dimensions}}
  graph.keep %x, "x" shape(%s : tensor<1xi64>) {least = array<i64: 0>} : tensor<8x4xf32>
  return
}

// -----

func.func @keep_with_half_of_the_sizes(%x: tensor<8xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{has only one of shape and least}}
  graph.keep %x, "x" shape(%s : tensor<1xi64>) : tensor<8xf32>
  return
}

// RUN: weir-opt %s --split-input-file --weir-bind-sizes | FileCheck %s

// The group gets the actual size as an operand, and the attribute refers to it.
// CHECK-LABEL: func.func @bound
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[N:.*]]: tensor<i64>)
// CHECK-NOT: graph.symbol
// CHECK: graph.group(%[[X]], %[[N]])
// CHECK-SAME: attributes {weir.sizes = {{\[\[}}array<i64: 8, 1>, array<i64: 4, -1>]]}
// CHECK: graph.exp %{{[a-z0-9]*}} : tensor<8x4xf32>
func.func @bound(%x: tensor<8x4xf32>, %n: tensor<i64>) -> tensor<8x4xf32> {
  graph.symbol 0 is %n : tensor<i64>
  %y = graph.group(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    %b = graph.exp %a {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xf32>
    graph.yield %b : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Sizes pass through reshapes, and through products except for the summed dimension.
// CHECK-LABEL: func.func @product
// CHECK: weir.sizes = {{\[\[}}array<i64: 2, 2, 4, 3>, array<i64: 5, -1>]]
func.func @product(%x: tensor<2x4x3xf32>, %w: tensor<3x5xf32>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<8x5xf32> {
  graph.symbol 0 is %n : tensor<i64>
  graph.symbol 1 is %m : tensor<i64>
  %s = graph.group(%x) : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  ^bb0(%a: tensor<2x4x3xf32>):
    %b = graph.exp %a {weir.sizes = [array<i64: 2, 0>, array<i64: 4, 1>, array<i64: 3, -1>]} : tensor<2x4x3xf32>
    graph.yield %b : tensor<2x4x3xf32>
  }
  %r = graph.reshape %s : tensor<2x4x3xf32> to tensor<8x3xf32>
  %y = graph.group(%r, %w) : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32> {
  ^bb0(%a: tensor<8x3xf32>, %b: tensor<3x5xf32>):
    %c = graph.matmul %a, %b : tensor<8x3xf32>, tensor<3x5xf32>
    graph.yield %c : tensor<8x5xf32>
  }
  return %y : tensor<8x5xf32>
}

// -----

// A select may exclude the elements beyond the sizes. Without an attribute of its own,
// all of its elements count.
// CHECK-LABEL: func.func @choice
// CHECK: graph.group(%{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
func.func @choice(%c: tensor<8xi1>, %x: tensor<8xf32>, %n: tensor<i64>) -> tensor<8xf32> {
  graph.symbol 0 is %n : tensor<i64>
  %s = graph.group(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %b = graph.exp %a {weir.sizes = [array<i64: 8, 0>]} : tensor<8xf32>
    graph.yield %b : tensor<8xf32>
  }
  %y = graph.group(%c, %s, %x) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xi1>, %b: tensor<8xf32>, %d: tensor<8xf32>):
    %e = graph.select %a, %b, %d : tensor<8xi1>, tensor<8xf32>
    graph.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// The sizes of an argument hold for the results that depend on it.
// CHECK-LABEL: func.func @argument
// CHECK-NOT: weir.sizes = [array<i64: 8, 4>]}
// CHECK: graph.group(%arg0, %arg1) attributes {weir.sizes = {{\[\[}}array<i64: 8, 1>]]}
func.func @argument(%x: tensor<8xf32> {weir.sizes = [array<i64: 8, 4>]}, %n: tensor<i64>) -> tensor<8xf32> {
  graph.symbol 4 is %n : tensor<i64>
  %y = graph.group(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %e = graph.exp %a : tensor<8xf32>
    graph.yield %e : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// The products of an attention with a dynamic length have it as an operand.
// CHECK-LABEL: func.func @attention
// CHECK: graph.group(%arg0, %arg1, %arg2, %arg3) attributes {weir.columns = 3 : i64}
func.func @attention(%q: tensor<4x8xf32>, %k: tensor<6x8xf32> {weir.sizes = [array<i64: 6, 2>, array<i64: 8, -1>]}, %m: tensor<6xi1>, %n: tensor<i64>) -> tensor<4x8xf32> {
  graph.symbol 2 is %n : tensor<i64>
  %y = graph.group(%q, %k, %m) : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xi1>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<6xi1>):
    %least = graph.constant dense<0xFF800000> : tensor<4x6xf32>
    %zero = graph.constant dense<0.0> : tensor<4x6xf32>
    %s = graph.matmul %a, %b transpose_b : tensor<4x8xf32>, tensor<6x8xf32>
    %w = graph.broadcast %c [1] : tensor<6xi1> to tensor<4x6xi1>
    %t = graph.select %w, %s, %least : tensor<4x6xi1>, tensor<4x6xf32>
    %p = graph.softmax %t : tensor<4x6xf32>
    %o = graph.select %w, %p, %zero : tensor<4x6xi1>, tensor<4x6xf32>
    %r = graph.matmul %o, %b : tensor<4x6xf32>, tensor<6x8xf32>
    graph.yield %r : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

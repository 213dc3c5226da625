// RUN: weir-opt %s -split-input-file -weir-fold-constants="max-bytes=65536" | FileCheck %s

// CHECK-LABEL: @transpose
// CHECK: graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
func.func @transpose() -> tensor<2x2xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %y = graph.transpose %c [1, 0] : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @slice
// CHECK: graph.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>
func.func @slice() -> tensor<2x1xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %y = graph.slice %c [0, 1] to [2, 2] by [1, 1] : tensor<2x2xf32>
  return %y : tensor<2x1xf32>
}

// CHECK-LABEL: @reverse
// CHECK: graph.constant dense<{{\[\[}}3.000000e+00, 4.000000e+00], [1.000000e+00, 2.000000e+00]]>
func.func @reverse() -> tensor<2x2xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %y = graph.reverse %c [0] : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @concat
// CHECK: graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 9.000000e+00], [3.000000e+00, 4.000000e+00, 9.000000e+00]]>
func.func @concat() -> tensor<2x3xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %nine = graph.constant dense<9.0> : tensor<2x1xf32>
  %y = graph.concat %c, %nine axis 1 : tensor<2x2xf32>, tensor<2x1xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @pad
// CHECK: graph.constant dense<{{\[\[}}7.000000e+00, 1.000000e+00, 7.000000e+00, 2.000000e+00], [7.000000e+00, 3.000000e+00, 7.000000e+00, 4.000000e+00], [7.000000e+00, 7.000000e+00, 7.000000e+00, 7.000000e+00]]>
func.func @pad() -> tensor<3x4xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %v = graph.constant dense<7.0> : tensor<f32>
  %y = graph.pad %c, %v low [0, 1] high [1, 0] interior [0, 1] : tensor<2x2xf32>
  return %y : tensor<3x4xf32>
}

// A reshape has the same resource.
// CHECK-LABEL: @reshape
// CHECK: graph.constant dense_resource<four> : tensor<4xf32>
func.func @reshape() -> tensor<4xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %y = graph.reshape %c : tensor<2x2xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// A chain is computed in f32, and the broadcast is read in place.
// CHECK-LABEL: @elementwise
// CHECK: graph.constant dense<[1.000000e+01, 1.200000e+01, 2.300000e+01, 2.500000e+01]> : tensor<4xf32>
func.func @elementwise() -> tensor<4xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %b = graph.constant dense_resource<column> : tensor<2x1xf32>
  %s = graph.broadcast %b [0, 1] : tensor<2x1xf32> to tensor<2x2xf32>
  %0 = graph.add %c, %s : tensor<2x2xf32>
  %1 = graph.add %0, %c : tensor<2x2xf32>
  %2 = graph.reshape %1 : tensor<2x2xf32> to tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %3 = graph.sub %2, %one : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: @cast
// CHECK: graph.constant dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf32>
func.func @cast() -> tensor<2xf32> {
  %c = graph.constant dense_resource<halves> : tensor<2xf16>
  %y = graph.cast %c : tensor<2xf16> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// Reductions over Booleans fold, such as a test for indices in range.
// CHECK-LABEL: @all
// CHECK-DAG: %[[ALL:.*]] = graph.constant dense<false> : tensor<i1>
// CHECK-DAG: %[[ANY:.*]] = graph.constant dense<true> : tensor<i1>
// CHECK: return %[[ALL]], %[[ANY]]
func.func @all() -> (tensor<i1>, tensor<i1>) {
  %a = graph.constant dense_resource<four> : tensor<2x2xf32>
  %two = graph.constant dense<2.0> : tensor<2x2xf32>
  %less = graph.less %a, %two : tensor<2x2xf32>
  %all = graph.reduce_and %less [0, 1] : tensor<2x2xi1>
  %any = graph.reduce_or %less [0, 1] : tensor<2x2xi1>
  return %all, %any : tensor<i1>, tensor<i1>
}

// A Boolean has one byte.
// CHECK-LABEL: @booleans
// CHECK: graph.constant dense<[false, true, false, false]> : tensor<4xi1>
func.func @booleans() -> tensor<4xi1> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %0 = graph.reshape %c : tensor<2x2xf32> to tensor<4xf32>
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %1 = graph.equal %0, %two : tensor<4xf32>
  return %1 : tensor<4xi1>
}

{-#
  dialect_resources: {
    builtin: {
      four: "0x040000000000803F000000400000404000008040",
      column: "0x040000000000104100009041",
      halves: "0x02000000003C00C0"
    }
  }
#-}

// -----

// Division by zero has the result of a run.
// CHECK-LABEL: @trap
// CHECK: graph.constant dense<[0, 2]> : tensor<2xi32>
func.func @trap() -> tensor<2xi32> {
  %x = graph.constant dense_resource<x> : tensor<2xi32>
  %y = graph.constant dense_resource<y> : tensor<2xi32>
  %z = graph.floor_div %x, %y : tensor<2xi32>
  return %z : tensor<2xi32>
}

// A function with other rounding in a run does not fold.
// CHECK-LABEL: @transcendental
// CHECK: graph.exp
func.func @transcendental() -> tensor<1xf64> {
  %x = graph.constant dense_resource<z> : tensor<1xf64>
  %y = graph.exp %x : tensor<1xf64>
  return %y : tensor<1xf64>
}

// A resource without bytes, or of another size, does not fold.
// CHECK-LABEL: @missing
// CHECK: graph.reverse
// CHECK: graph.reverse
func.func @missing() -> (tensor<2xi32>, tensor<3xi32>) {
  %a = graph.constant dense_resource<absent> : tensor<2xi32>
  %b = graph.reverse %a [0] : tensor<2xi32>
  %c = graph.constant dense_resource<x> : tensor<3xi32>
  %d = graph.reverse %c [0] : tensor<3xi32>
  return %b, %d : tensor<2xi32>, tensor<3xi32>
}

// A result beyond the budget does not fold.
// CHECK-LABEL: @large
// CHECK: graph.pad
func.func @large() -> tensor<20000xi32> {
  %x = graph.constant dense_resource<x> : tensor<2xi32>
  %v = graph.constant dense<7> : tensor<i32>
  %y = graph.pad %x, %v low [0] high [19998] interior [0] : tensor<2xi32>
  return %y : tensor<20000xi32>
}

// A broadcast stays, because a load of its result costs more than the repetition.
// CHECK-LABEL: @broadcast
// CHECK: graph.broadcast
func.func @broadcast() -> tensor<2x2xi32> {
  %x = graph.constant dense_resource<x> : tensor<2xi32>
  %y = graph.broadcast %x [1] : tensor<2xi32> to tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// An op on a variable stays.
// CHECK-LABEL: @variable
// CHECK: graph.add
func.func @variable(%v: tensor<2xi32>) -> tensor<2xi32> {
  %x = graph.constant dense_resource<x> : tensor<2xi32>
  %y = graph.add %x, %v : tensor<2xi32>
  return %y : tensor<2xi32>
}

{-#
  dialect_resources: {
    builtin: {
      x: "0x040000000100000002000000",
      y: "0x040000000000000001000000",
      z: "0x08000000000000000000F03F"
    }
  }
#-}

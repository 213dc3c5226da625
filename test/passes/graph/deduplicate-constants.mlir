// RUN: weir-opt %s -weir-deduplicate-constants | FileCheck %s

// Two resources have equal bytes.
// CHECK-LABEL: @equal
// CHECK-NEXT: %[[C:.*]] = graph.constant dense_resource<a> : tensor<2xf32>
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @equal() -> (tensor<2xf32>, tensor<2xf32>) {
  %a = graph.constant dense_resource<a> : tensor<2xf32>
  %b = graph.constant dense_resource<b> : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// Constants of another function or another type share the bytes, and different bytes do
// not.
// CHECK-LABEL: @shared
// CHECK-DAG: graph.constant dense_resource<a> : tensor<2xf32>
// CHECK-DAG: graph.constant dense_resource<a> : tensor<1x2xf32>
// CHECK-DAG: graph.constant dense_resource<other> : tensor<2xf32>
func.func @shared() -> (tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>) {
  %b = graph.constant dense_resource<b> : tensor<2xf32>
  %c = graph.constant dense_resource<c> : tensor<1x2xf32>
  %d = graph.constant dense_resource<other> : tensor<2xf32>
  return %b, %c, %d : tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>
}

// Equal constants in both branches become one before them.
// CHECK-LABEL: @branches
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: graph.if
// CHECK-NEXT: graph.yield %[[C]]
// CHECK: graph.yield %[[C]]
func.func @branches(%p: tensor<i1>) -> tensor<2xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<2xf32>) {
    %a = graph.constant dense<1.0> : tensor<2xf32>
    graph.yield %a : tensor<2xf32>
  } else {
    %b = graph.constant dense<1.0> : tensor<2xf32>
    graph.yield %b : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// A group is isolated, so it keeps its own constant.
// CHECK-LABEL: @group
// CHECK: graph.group
// CHECK: graph.constant
func.func @group() -> (tensor<2xf32>, tensor<2xf32>) {
  %a = graph.constant dense<1.0> : tensor<2xf32>
  %y = graph.group() : () -> tensor<2xf32> {
    %b = graph.constant dense<1.0> : tensor<2xf32>
    graph.yield %b : tensor<2xf32>
  }
  return %a, %y : tensor<2xf32>, tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000000803F00000040",
      b: "0x040000000000803F00000040",
      c: "0x040000000000803F00000040",
      other: "0x040000000000803F00000041"
    }
  }
#-}

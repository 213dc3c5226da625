// weir-reduce keeps the ops that make a script's test succeed, and removes the others.
// RUN: weir-reduce %s -reduction-tree='traversal-mode=0 test=%S/has-exp.sh' | FileCheck %s

// CHECK: graph.exp
// CHECK-NOT: graph.neg
func.func @interesting(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @dull(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

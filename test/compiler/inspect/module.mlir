// RUN: weir inspect %s | FileCheck %s
// RUN: weir inspect %s --json | FileCheck %s --check-prefix=JSON

// CHECK: module.mlir: module
// CHECK-NEXT: signature main
// CHECK-NEXT: input  tensor<4xf32>
// CHECK-NEXT: output tensor<4xf32>
// CHECK-NEXT: ops 4
// CHECK-NEXT: 1 func.func
// CHECK-NEXT: 1 func.return
// CHECK-NEXT: 2 graph.exp
// CHECK-NOT: memory

// JSON: "kind": "module"
// JSON: "count": 2,
// JSON-NEXT: "op": "graph.exp"
// JSON: "inputs": [
// JSON: "type": "tensor<4xf32>"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

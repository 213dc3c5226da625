// RUN: weir-opt %s --split-input-file --weir-divide-layers | FileCheck %s

// The first of two products with elementwise ops between them. The second, whose
// result no product reads, stays whole.
// CHECK-LABEL: module @pair
// CHECK: graph.constant {weir.shards = array<i64: 0, 1>} dense<1.000000e+00> : tensor<4x8xf32>
// CHECK: graph.constant dense<2.000000e+00> : tensor<8x4xf32>
module @pair attributes {weir.parallel_layers = "model", weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  func.func @f(%x: tensor<3x4xf32>) -> tensor<3x4xf32> attributes {weir.entry = "f"} {
    %up = graph.constant dense<1.0> : tensor<4x8xf32>
    %down = graph.constant dense<2.0> : tensor<8x4xf32>
    %0 = graph.matmul %x, %up : tensor<3x4xf32>, tensor<4x8xf32>
    %1 = graph.relu %0 : tensor<3x8xf32>
    %2 = graph.matmul %1, %down : tensor<3x8xf32>, tensor<8x4xf32>
    return %2 : tensor<3x4xf32>
  }
}

// -----

// Query, key and value of an attention with two heads. The weight of the key is a
// variable, whose matrix is transposed.
// CHECK-LABEL: module @attention
// CHECK: graph.variable @k : tensor<8x4xf32> {weir.shards = array<i64: 1, 0>}
// CHECK: graph.constant {weir.shards = array<i64: 0, 1>} dense<1.000000e+00> : tensor<4x8xf32>
// CHECK: graph.constant {weir.shards = array<i64: 0, 1>} dense<2.000000e+00> : tensor<4x8xf32>
module @attention attributes {weir.parallel_layers = "model", weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  graph.variable @k : tensor<8x4xf32>
  func.func @f(%x: tensor<3x4xf32>) -> tensor<2x3x4xf32> attributes {weir.entry = "f"} {
    %wq = graph.constant dense<1.0> : tensor<4x8xf32>
    %wv = graph.constant dense<2.0> : tensor<4x8xf32>
    %wk = graph.read_variable @k : tensor<8x4xf32>
    %0 = graph.matmul %x, %wq : tensor<3x4xf32>, tensor<4x8xf32>
    %1 = graph.matmul %x, %wk transpose_b : tensor<3x4xf32>, tensor<8x4xf32>
    %2 = graph.matmul %x, %wv : tensor<3x4xf32>, tensor<4x8xf32>
    %3 = graph.reshape %0 : tensor<3x8xf32> to tensor<3x2x4xf32>
    %4 = graph.reshape %1 : tensor<3x8xf32> to tensor<3x2x4xf32>
    %5 = graph.reshape %2 : tensor<3x8xf32> to tensor<3x2x4xf32>
    %q = graph.transpose %3 [1, 0, 2] : tensor<3x2x4xf32>
    %k = graph.transpose %4 [1, 0, 2] : tensor<3x2x4xf32>
    %v = graph.transpose %5 [1, 0, 2] : tensor<3x2x4xf32>
    %s = graph.matmul %q, %k transpose_b : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    %p = graph.softmax %s : tensor<2x3x3xf32>
    %r = graph.matmul %p, %v : tensor<2x3x3xf32>, tensor<2x3x4xf32>
    return %r : tensor<2x3x4xf32>
  }
}

// -----

// Products that nothing follows, and columns that ranks cannot divide.
// CHECK-LABEL: module @neither
// CHECK-NOT: weir.shards
// CHECK: return
module @neither attributes {weir.parallel_layers = "model", weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  func.func @f(%x: tensor<3x4xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>) attributes {weir.entry = "f"} {
    %a = graph.constant dense<1.0> : tensor<4x8xf32>
    %b = graph.constant dense<2.0> : tensor<4x7xf32>
    %c = graph.constant dense<3.0> : tensor<7x4xf32>
    %0 = graph.matmul %x, %a : tensor<3x4xf32>, tensor<4x8xf32>
    %1 = graph.matmul %x, %b : tensor<3x4xf32>, tensor<4x7xf32>
    %2 = graph.matmul %1, %c : tensor<3x7xf32>, tensor<7x4xf32>
    return %0, %2 : tensor<3x8xf32>, tensor<3x4xf32>
  }
}

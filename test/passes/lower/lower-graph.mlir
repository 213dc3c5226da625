// RUN: weir-opt %s -weir-lower-graph | FileCheck %s

// An elementwise op becomes one loop of its scalar function.
// CHECK-LABEL: @exp
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[EMPTY]]
// CHECK: math.exp
func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// The bound applies to the result of relu, and the op keeps NaNs.
// CHECK-LABEL: @relu6
// CHECK: %[[RELU:.*]] = arith.select
// CHECK: %[[SIX:.*]] = arith.constant 6.0
// CHECK: arith.minimumf %[[RELU]], %[[SIX]]
func.func @relu6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.relu6 %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Unsigned integers become signless.
// CHECK-LABEL: @unsigned
// CHECK-SAME: tensor<4xi8>
// CHECK: arith.addi
// CHECK-NOT: ui8
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %y = graph.add %x, %x : tensor<4xui8>
  return %y : tensor<4xui8>
}

// Control flow and constants stay.
// CHECK-LABEL: @stays
// CHECK: graph.constant
func.func @stays() -> tensor<4xf32> {
  %c = graph.constant dense<1.0> : tensor<4xf32>
  return %c : tensor<4xf32>
}

// A constant of one number is created in the kernel that uses it.
// CHECK-LABEL: @constant
func.func @constant() -> tensor<1x8x3xui8> attributes {weir.kernel} {
  // CHECK: %[[SEVEN:.*]] = arith.constant 7 : i8
  // CHECK: linalg.fill ins(%[[SEVEN]] : i8) outs(%{{.*}} : tensor<1x8x3xi8>)
  %c = graph.constant dense<7> : tensor<1x8x3xui8>
  return %c : tensor<1x8x3xui8>
}

// The softmax of an attention stays, for weir-form-attention; others become loops.
// CHECK-LABEL: @attention
// CHECK: %[[S:.*]] = kernel.matmul
// CHECK: graph.softmax %[[S]] masked
// CHECK: kernel.matmul
func.func @attention(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) -> tensor<4x5xf32> attributes {weir.kernel} {
  %s = graph.matmul %q, %k : tensor<4x8xf32>, tensor<8x6xf32>
  %p = graph.softmax %s masked : tensor<4x6xf32>
  %o = graph.matmul %p, %v : tensor<4x6xf32>, tensor<6x5xf32>
  return %o : tensor<4x5xf32>
}
// CHECK-LABEL: @weights_read_again
// CHECK: arith.maxnumf
// CHECK-NOT: graph.softmax
func.func @weights_read_again(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) -> (tensor<4x5xf32>, tensor<4x6xf32>) attributes {weir.kernel} {
  %s = graph.matmul %q, %k : tensor<4x8xf32>, tensor<8x6xf32>
  %p = graph.softmax %s : tensor<4x6xf32>
  %o = graph.matmul %p, %v : tensor<4x6xf32>, tensor<6x5xf32>
  return %o, %p : tensor<4x5xf32>, tensor<4x6xf32>
}
// CHECK-LABEL: @one_product
// CHECK: arith.maxnumf
// CHECK-NOT: graph.softmax
func.func @one_product(%s: tensor<4x6xf32>, %v: tensor<6x5xf32>) -> tensor<4x5xf32> attributes {weir.kernel} {
  %p = graph.softmax %s : tensor<4x6xf32>
  %o = graph.matmul %p, %v : tensor<4x6xf32>, tensor<6x5xf32>
  return %o : tensor<4x5xf32>
}

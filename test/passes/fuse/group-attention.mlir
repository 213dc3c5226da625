// RUN: weir-opt %s -split-input-file -weir-group-attention | FileCheck %s

// Two products and the ops between them are one group; an input of several of them is
// one operand.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: %[[O:.*]] = graph.group(%arg0, %arg1, %arg2) : (tensor<2x64x4xf32>, tensor<2x64x4xf32>, tensor<2x64x64xf32>) -> tensor<2x64x4xf32> {
// CHECK-NEXT: ^bb0(%[[Q:.*]]: tensor<2x64x4xf32>, %[[K:.*]]: tensor<2x64x4xf32>, %[[M:.*]]: tensor<2x64x64xf32>):
// CHECK-NEXT: %[[S:.*]] = graph.matmul %[[Q]], %[[K]] transpose_b
// CHECK-NEXT: %[[A:.*]] = graph.add %[[S]], %[[M]]
// CHECK-NEXT: %[[P:.*]] = graph.softmax %[[A]]
// CHECK-NEXT: %[[R:.*]] = graph.matmul %[[P]], %[[K]]
// CHECK-NEXT: graph.yield %[[R]]
// CHECK: return %[[O]]
func.func @attention(%q: tensor<2x64x4xf32>, %k: tensor<2x64x4xf32>, %m: tensor<2x64x64xf32>) -> tensor<2x64x4xf32> {
  %s = graph.group(%q, %k) : (tensor<2x64x4xf32>, tensor<2x64x4xf32>) -> tensor<2x64x64xf32> {
  ^bb0(%a: tensor<2x64x4xf32>, %b: tensor<2x64x4xf32>):
    %0 = graph.matmul %a, %b transpose_b : tensor<2x64x4xf32>, tensor<2x64x4xf32>
    graph.yield %0 : tensor<2x64x64xf32>
  }
  %p = graph.group(%s, %m) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32> {
  ^bb0(%a: tensor<2x64x64xf32>, %b: tensor<2x64x64xf32>):
    %0 = graph.add %a, %b : tensor<2x64x64xf32>
    %1 = graph.softmax %0 : tensor<2x64x64xf32>
    graph.yield %1 : tensor<2x64x64xf32>
  }
  %o = graph.group(%p, %k) : (tensor<2x64x64xf32>, tensor<2x64x4xf32>) -> tensor<2x64x4xf32> {
  ^bb0(%a: tensor<2x64x64xf32>, %b: tensor<2x64x4xf32>):
    %0 = graph.matmul %a, %b : tensor<2x64x64xf32>, tensor<2x64x4xf32>
    graph.yield %0 : tensor<2x64x4xf32>
  }
  return %o : tensor<2x64x4xf32>
}

// -----

// Another user, such as a gradient, needs all rows, so there is no group.
// CHECK-LABEL: func.func @used_twice
// CHECK-COUNT-3: graph.group(
func.func @used_twice(%q: tensor<64x4xf32>, %k: tensor<64x4xf32>) -> (tensor<64x64xf32>, tensor<64x4xf32>) {
  %s = graph.group(%q, %k) : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x4xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b transpose_b : tensor<64x4xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.softmax %a : tensor<64x64xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %o = graph.group(%p, %k) : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b : tensor<64x64xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<64x4xf32>
  }
  return %p, %o : tensor<64x64xf32>, tensor<64x4xf32>
}

// -----

// If the weights were the right operand of a product, each of its rows would read them
// again.
// CHECK-LABEL: func.func @on_the_right
// CHECK-COUNT-3: graph.group(
func.func @on_the_right(%q: tensor<64x4xf32>, %k: tensor<64x4xf32>) -> tensor<4x64xf32> {
  %s = graph.group(%q, %k) : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x4xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b transpose_b : tensor<64x4xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.softmax %a : tensor<64x64xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %o = graph.group(%k, %p) : (tensor<64x4xf32>, tensor<64x64xf32>) -> tensor<4x64xf32> {
  ^bb0(%a: tensor<64x4xf32>, %b: tensor<64x64xf32>):
    %0 = graph.matmul %a, %b transpose_a : tensor<64x4xf32>, tensor<64x64xf32>
    graph.yield %0 : tensor<4x64xf32>
  }
  return %o : tensor<4x64xf32>
}

// -----

// Threads share each product of a decoder step with few rows.
// CHECK-LABEL: func.func @few_rows
// CHECK-COUNT-3: graph.group(
func.func @few_rows(%q: tensor<1x4xf32>, %k: tensor<64x4xf32>) -> tensor<1x4xf32> {
  %s = graph.group(%q, %k) : (tensor<1x4xf32>, tensor<64x4xf32>) -> tensor<1x64xf32> {
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b transpose_b : tensor<1x4xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<1x64xf32>
  }
  %p = graph.group(%s) : (tensor<1x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%a: tensor<1x64xf32>):
    %0 = graph.softmax %a : tensor<1x64xf32>
    graph.yield %0 : tensor<1x64xf32>
  }
  %o = graph.group(%p, %k) : (tensor<1x64xf32>, tensor<64x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b : tensor<1x64xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<1x4xf32>
  }
  return %o : tensor<1x4xf32>
}

// -----

// A GPU computes a decoder step as one group, because blocks share the operands of its
// row.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: graph.group(
// CHECK-NOT: graph.group(
// CHECK: return
module attributes {weir.gpu = #weir.gpu<>} {
  func.func @step(%q: tensor<8x1x4xf32>, %k: tensor<8x500x4xf32>) -> tensor<8x1x4xf32> {
    %s = graph.group(%q, %k) : (tensor<8x1x4xf32>, tensor<8x500x4xf32>) -> tensor<8x1x500xf32> {
    ^bb0(%a: tensor<8x1x4xf32>, %b: tensor<8x500x4xf32>):
      %0 = graph.matmul %a, %b transpose_b : tensor<8x1x4xf32>, tensor<8x500x4xf32>
      graph.yield %0 : tensor<8x1x500xf32>
    }
    %p = graph.group(%s) : (tensor<8x1x500xf32>) -> tensor<8x1x500xf32> {
    ^bb0(%a: tensor<8x1x500xf32>):
      %0 = graph.softmax %a : tensor<8x1x500xf32>
      graph.yield %0 : tensor<8x1x500xf32>
    }
    %o = graph.group(%p, %k) : (tensor<8x1x500xf32>, tensor<8x500x4xf32>) -> tensor<8x1x4xf32> {
    ^bb0(%a: tensor<8x1x500xf32>, %b: tensor<8x500x4xf32>):
      %0 = graph.matmul %a, %b : tensor<8x1x500xf32>, tensor<8x500x4xf32>
      graph.yield %0 : tensor<8x1x4xf32>
    }
    return %o : tensor<8x1x4xf32>
  }
}

// -----

// On the host of a GPU, threads share products with few rows.
// CHECK-LABEL: func.func @on_the_host
// CHECK-COUNT-3: graph.group(
module attributes {weir.gpu = #weir.gpu<>} {
  func.func @on_the_host(%q: tensor<8x1x4xf32>, %k: tensor<8x500x4xf32>) -> tensor<8x1x4xf32> {
    %s = graph.group(%q, %k) attributes {weir.host} : (tensor<8x1x4xf32>, tensor<8x500x4xf32>) -> tensor<8x1x500xf32> {
    ^bb0(%a: tensor<8x1x4xf32>, %b: tensor<8x500x4xf32>):
      %0 = graph.matmul %a, %b transpose_b : tensor<8x1x4xf32>, tensor<8x500x4xf32>
      graph.yield %0 : tensor<8x1x500xf32>
    }
    %p = graph.group(%s) attributes {weir.host} : (tensor<8x1x500xf32>) -> tensor<8x1x500xf32> {
    ^bb0(%a: tensor<8x1x500xf32>):
      %0 = graph.softmax %a : tensor<8x1x500xf32>
      graph.yield %0 : tensor<8x1x500xf32>
    }
    %o = graph.group(%p, %k) attributes {weir.host} : (tensor<8x1x500xf32>, tensor<8x500x4xf32>) -> tensor<8x1x4xf32> {
    ^bb0(%a: tensor<8x1x500xf32>, %b: tensor<8x500x4xf32>):
      %0 = graph.matmul %a, %b : tensor<8x1x500xf32>, tensor<8x500x4xf32>
      graph.yield %0 : tensor<8x1x4xf32>
    }
    return %o : tensor<8x1x4xf32>
  }
}

// -----

// Casts may be on both sides of the softmax, and in a group of their own.
// CHECK-LABEL: func.func @widened
// CHECK-NEXT: graph.group(%arg0, %arg1)
// CHECK: graph.matmul
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.softmax
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.matmul
// CHECK-NOT: graph.group
// CHECK: return
func.func @widened(%q: tensor<64x4xf16>, %k: tensor<64x4xf16>) -> tensor<64x4xf16> {
  %s = graph.group(%q, %k) : (tensor<64x4xf16>, tensor<64x4xf16>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x4xf16>, %b: tensor<64x4xf16>):
    %0 = graph.matmul %a, %b transpose_b : tensor<64x4xf16>, tensor<64x4xf16>
    %1 = graph.cast %0 : tensor<64x64xf16> to tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.softmax %a : tensor<64x64xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %c = graph.group(%p) : (tensor<64x64xf32>) -> tensor<64x64xf16> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.cast %a : tensor<64x64xf32> to tensor<64x64xf16>
    graph.yield %0 : tensor<64x64xf16>
  }
  %o = graph.group(%c, %k) : (tensor<64x64xf16>, tensor<64x4xf16>) -> tensor<64x4xf16> {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x4xf16>):
    %0 = graph.matmul %a, %b : tensor<64x64xf16>, tensor<64x4xf16>
    graph.yield %0 : tensor<64x4xf16>
  }
  return %o : tensor<64x4xf16>
}

// -----

// Without a softmax no op needs whole rows.
// CHECK-LABEL: func.func @exponentials
// CHECK-COUNT-4: graph.group(
func.func @exponentials(%q: tensor<64x4xf16>, %k: tensor<64x4xf16>) -> tensor<64x4xf16> {
  %s = graph.group(%q, %k) : (tensor<64x4xf16>, tensor<64x4xf16>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x4xf16>, %b: tensor<64x4xf16>):
    %0 = graph.matmul %a, %b transpose_b : tensor<64x4xf16>, tensor<64x4xf16>
    %1 = graph.cast %0 : tensor<64x64xf16> to tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.exp %a : tensor<64x64xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %c = graph.group(%p) : (tensor<64x64xf32>) -> tensor<64x64xf16> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.cast %a : tensor<64x64xf32> to tensor<64x64xf16>
    graph.yield %0 : tensor<64x64xf16>
  }
  %o = graph.group(%c, %k) : (tensor<64x64xf16>, tensor<64x4xf16>) -> tensor<64x4xf16> {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x4xf16>):
    %0 = graph.matmul %a, %b : tensor<64x64xf16>, tensor<64x4xf16>
    graph.yield %0 : tensor<64x4xf16>
  }
  return %o : tensor<64x4xf16>
}

// -----

// A mask of columns that the group computes again does not prevent the fusion.
// CHECK-LABEL: func.func @masked
// CHECK-NEXT: graph.group(%arg0, %arg1, %arg2, %arg3)
// CHECK: graph.matmul
// CHECK: graph.less
// CHECK: graph.select
// CHECK: graph.softmax
// CHECK: graph.matmul
// CHECK: return
func.func @masked(%q: tensor<64x4xf32>, %k: tensor<64x4xf32>, %i: tensor<64xi32>, %n: tensor<64xi32>) -> tensor<64x4xf32> {
  %s = graph.group(%q, %k) : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x4xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b transpose_b : tensor<64x4xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  %p = graph.group(%s, %i, %n) : (tensor<64x64xf32>, tensor<64xi32>, tensor<64xi32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64xi32>, %c: tensor<64xi32>):
    %least = graph.constant dense<0xFF800000> : tensor<64x64xf32>
    %0 = graph.less %b, %c : tensor<64xi32>
    %1 = graph.broadcast %0 [1] : tensor<64xi1> to tensor<64x64xi1>
    %2 = graph.select %1, %a, %least : tensor<64x64xi1>, tensor<64x64xf32>
    %3 = graph.softmax %2 : tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  %o = graph.group(%p, %k) : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32> {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x4xf32>):
    %0 = graph.matmul %a, %b : tensor<64x64xf32>, tensor<64x4xf32>
    graph.yield %0 : tensor<64x4xf32>
  }
  return %o : tensor<64x4xf32>
}

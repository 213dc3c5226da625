// RUN: weir-opt %s --split-input-file --weir-recompute-groups | FileCheck %s

// At %d, %a with 64 bytes and %b, %c and %d with 640 bytes are live. The pass
// recomputes %b from %a, which stays live; this frees enough memory.
// CHECK-LABEL: func.func @cheap
// CHECK: %[[A:.*]] = graph.group(%arg0)
// CHECK: %[[B:.*]] = graph.group(%[[A]])
// CHECK: %[[C:.*]] = graph.group(%[[B]])
// CHECK: %[[D:.*]] = graph.group(%[[C]])
// CHECK: %[[AGAIN:.*]] = graph.group(%[[A]])
// CHECK: %[[E:.*]] = graph.group(%[[AGAIN]], %[[D]])
// CHECK: graph.group(%[[A]], %[[E]])
module attributes {weir.remat = 1408 : i64} {
  func.func @cheap(%x: tensor<16xf32>) -> tensor<16xf32> attributes {weir.entry = "main"} {
    %a = graph.group(%x) : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %q = graph.exp %p : tensor<16xf32>
      graph.yield %q : tensor<16xf32>
    }
    %b = graph.group(%a) : (tensor<16xf32>) -> tensor<10x16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %q = graph.broadcast %p [1] : tensor<16xf32> to tensor<10x16xf32>
      graph.yield %q : tensor<10x16xf32>
    }
    %c = graph.group(%b) : (tensor<10x16xf32>) -> tensor<10x16xf32> {
    ^bb0(%p: tensor<10x16xf32>):
      %q = graph.exp %p : tensor<10x16xf32>
      graph.yield %q : tensor<10x16xf32>
    }
    %d = graph.group(%c) : (tensor<10x16xf32>) -> tensor<10x16xf32> {
    ^bb0(%p: tensor<10x16xf32>):
      %q = graph.tanh %p : tensor<10x16xf32>
      graph.yield %q : tensor<10x16xf32>
    }
    %e = graph.group(%b, %d) : (tensor<10x16xf32>, tensor<10x16xf32>) -> tensor<f32> {
    ^bb0(%p: tensor<10x16xf32>, %q: tensor<10x16xf32>):
      %r = graph.mul %p, %q : tensor<10x16xf32>
      %s = graph.reduce_sum %r [0, 1] : tensor<10x16xf32>
      graph.yield %s : tensor<f32>
    }
    %f = graph.group(%a, %e) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<f32>):
      %r = graph.broadcast %q [] : tensor<f32> to tensor<16xf32>
      %s = graph.mul %p, %r : tensor<16xf32>
      graph.yield %s : tensor<16xf32>
    }
    return %f : tensor<16xf32>
  }
}

// -----

// Memory is sufficient, so nothing is recomputed.
// CHECK-LABEL: func.func @enough
// CHECK-COUNT-3: graph.group(
// CHECK-NOT: graph.group(
module attributes {weir.remat = 192 : i64} {
  func.func @enough(%x: tensor<16xf32>) -> tensor<16xf32> attributes {weir.entry = "main"} {
    %a = graph.group(%x) : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %q = graph.exp %p : tensor<16xf32>
      graph.yield %q : tensor<16xf32>
    }
    %b = graph.group(%a) : (tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>):
      %q = graph.exp %p : tensor<16xf32>
      graph.yield %q : tensor<16xf32>
    }
    %c = graph.group(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    ^bb0(%p: tensor<16xf32>, %q: tensor<16xf32>):
      %r = graph.mul %p, %q : tensor<16xf32>
      graph.yield %r : tensor<16xf32>
    }
    return %c : tensor<16xf32>
  }
}

// -----

// The results of a chain of products are used in reverse order. Every second one stays,
// and those between are recomputed for their uses.
// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = graph.group(%arg0, %arg1)
// CHECK: %[[B:.*]] = graph.group(%{{.*}}, %arg1)
// CHECK: %[[VIEW:.*]] = graph.reshape %[[B]]
// CHECK: %[[C:.*]] = graph.group(%{{.*}}, %arg1)
// CHECK: %[[D:.*]] = graph.group(%{{.*}}, %arg1)
// CHECK: %[[E:.*]] = graph.group(%{{.*}}, %arg1)
// CHECK: %[[TOP:.*]] = graph.group(%[[D]], %[[E]])
// CHECK: %[[AGAIN:.*]] = graph.group(%[[VIEW]], %arg1)
// CHECK: %[[NEXT:.*]] = graph.group(%[[AGAIN]], %[[TOP]])
// CHECK: %[[LAST:.*]] = graph.group(%[[B]], %[[NEXT]])
// CHECK: %[[FIRST:.*]] = graph.group(%arg0, %arg1)
// CHECK: graph.group(%[[FIRST]], %[[LAST]])
module attributes {weir.remat = 4096 : i64} {
  func.func @chain(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {weir.entry = "main"} {
    %a = graph.group(%x, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %b = graph.group(%a, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %v = graph.reshape %b : tensor<16x16xf32> to tensor<256xf32>
    %c = graph.group(%v, %w) : (tensor<256xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<256xf32>, %q: tensor<16x16xf32>):
      %s = graph.reshape %p : tensor<256xf32> to tensor<16x16xf32>
      %r = graph.matmul %s, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %d = graph.group(%c, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %e = graph.group(%d, %w) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %0 = graph.group(%d, %e) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %1 = graph.group(%c, %0) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %2 = graph.group(%b, %1) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    %3 = graph.group(%a, %2) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%p: tensor<16x16xf32>, %q: tensor<16x16xf32>):
      %r = graph.matmul %p, %q : tensor<16x16xf32>, tensor<16x16xf32>
      graph.yield %r : tensor<16x16xf32>
    }
    return %3 : tensor<16x16xf32>
  }
}
